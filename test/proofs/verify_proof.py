"""A second implementation of the check of a bet's proof (docs/proofs.md), from the standard library alone.

Reads one JSON object from stdin: `order` (data of POST /orders), `clientSeed` or null, `orderProof` (data of
GET /orders/{id}/proof), `roundProof` (data of GET /rounds/{id}/proof) and `keys` (data of GET /keys). Prints each step that
holds, and OK; or FAILED and the first that does not.
"""
import hashlib
import json
import sys

# Ed25519, RFC 8032, section 6: verification only.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P != 0:
        x = x * I % P
    if (x * x - x2) % P != 0:
        return None
    return P - x if x & 1 != sign else x


GY = 4 * pow(5, P - 2, P) % P
GX = recover_x(GY, 0)
G = (GX, GY, 1, GX * GY % P)


def add(a, b):
    s = (a[1] - a[0]) * (b[1] - b[0]) % P
    t = (a[1] + a[0]) * (b[1] + b[0]) % P
    u = 2 * a[3] * b[3] * D % P
    v = 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(factor, point):
    product = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            product = add(product, point)
        point = add(point, point)
        factor >>= 1
    return product


def is_equal(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def decompress(data):
    y = int.from_bytes(data, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def is_signed(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    return is_equal(multiply(s, G), add(r, multiply(h, a)))


def sha256(data):
    return hashlib.sha256(data).digest()


def field(text):
    data = text.encode()
    return str(len(data)).encode() + b":" + data


def units(number, scale):
    return str(round(float(number) * scale))


def bet_hash(bet, client_seed, seed, round_id):
    fields = [
        "tote-bet-1",
        seed,
        round_id,
        bet["id"],
        bet["prediction"],
        units(bet["amount"], 100),
        units(bet["oddsAtBet"], 10000),
        units(bet["entryPercent"], 100),
        units(bet["potentialPayout"], 100),
        bet["placedAt"],
    ]
    if client_seed is not None:
        fields.append(client_seed)
    return sha256(b"".join(field(text) for text in fields)).hex()


def root_of_path(index, size, leaf, path):
    """RFC 9162, section 2.1.3.2."""
    if index >= size:
        return None
    fn, sn, node = index, size - 1, leaf
    for sibling in path:
        if sn == 0:
            return None
        if fn & 1 or fn == sn:
            node = sha256(b"\x01" + sibling + node)
            while fn & 1 == 0 and fn != 0:
                fn >>= 1
                sn >>= 1
        else:
            node = sha256(b"\x01" + node + sibling)
        fn >>= 1
        sn >>= 1
    return node if sn == 0 else None


def lines(kind, pairs):
    return kind + "\n" + "".join(f"{name}: {'-' if value is None else value}\n" for name, value in pairs)


def digest_of(text):
    return None if text is None else sha256(text.encode("utf-8", "replace")).hex()


def price_lines(of, price):
    return [
        (of + "Price", price["price"]),
        (of + "PriceTime", price["time"]),
        (of + "Source", price["source"]),
        (of + "EvidenceSha256", digest_of(price["evidence"])),
    ]


def settlement_text(proof):
    root = proof["root"]
    return lines(
        "tote-settlement-1",
        [
            ("round", proof["id"]),
            ("startTime", proof["startTime"]),
            ("lockTime", proof["lockTime"]),
            ("endTime", proof["endTime"]),
            ("seedCommitment", proof["seedCommitment"]),
            ("seed", proof["seed"]),
            *price_lines("open", proof["open"]),
            *price_lines("close", proof["close"]),
            ("result", proof.get("result", "VOID")),
            ("voidReasonSha256", digest_of(proof["voidReason"])),
            ("poolUpCents", units(proof["poolUp"], 100)),
            ("poolDownCents", units(proof["poolDown"], 100)),
            ("houseSeedsCents", units(proof["houseSeeds"], 100)),
            ("feeBps", units(proof["fee"], 10000)),
            ("bets", proof["totalBets"]),
            ("volumeCents", units(proof["totalVolume"], 100)),
            ("merkleRoot", None if root is None else root["merkleRoot"]),
            ("resolvedAt", proof["resolvedAt"]),
            ("settledAt", proof["settledAt"]),
        ],
    )


def steps(given):
    bet, order, settled = given["order"]["bet"], given["orderProof"], given["roundProof"]
    keys = {key["keyId"]: bytes.fromhex(key["publicKey"]) for key in given["keys"]}
    root = order["root"]

    def is_by_server(text, signed):
        public = keys.get(signed["keyId"])
        return public is not None and is_signed(public, text.encode(), bytes.fromhex(signed["signature"]))

    yield "key", all(sha256(public)[:8].hex() == key_id for key_id, public in keys.items())
    yield "commitment", sha256(bytes.fromhex(settled["seed"])).hex() == settled["seedCommitment"]
    yield "hash", bet_hash(bet, given["clientSeed"], settled["seed"], settled["id"]) == bet["betHash"]
    yield "order", order["betHash"] == bet["betHash"] and order["orderId"] == bet["id"]
    leaf = sha256(b"\x00" + bytes.fromhex(order["betHash"]))
    path = [bytes.fromhex(sibling) for sibling in order["path"]]
    reached = root_of_path(order["leafIndex"], root["treeSize"], leaf, path)
    yield "path", reached is not None and reached.hex() == root["merkleRoot"]
    text = lines(
        "tote-root-1",
        [
            ("round", order["roundId"]),
            ("seedCommitment", order["seedCommitment"]),
            ("treeSize", root["treeSize"]),
            ("merkleRoot", root["merkleRoot"]),
        ],
    )
    yield "rootSignature", is_by_server(text, root)
    yield "sameRoot", settled["root"] == root and order["roundId"] == settled["id"]
    yield "statement", settlement_text(settled) == settled["statement"]["text"]
    yield "statementSignature", is_by_server(settled["statement"]["text"], settled["statement"])


def main():
    # Numbers stay as they are written: prices are compared as text.
    given = json.load(sys.stdin, parse_float=str)
    for name, holds in steps(given):
        if not holds:
            print("FAILED", name)
            return 1
        print("ok", name)
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
