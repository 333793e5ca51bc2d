"""A second implementation of the check of a bet's proof (docs/proofs.md), from the standard library alone.

Reads one JSON object from stdin, or a list of them: `bet` (of the answer of POST /orders, or GET /orders/{id}),
`clientSeed` (absent or null for an order without one), `orderProof` (data of GET /orders/{id}/proof), `roundProof` (data of GET
/rounds/{id}/proof) and `keys` (data of GET /keys). Prints a line for each: OK and warnings, or FAILED and the first step that
fails. An object with a `receipt` (data of GET /orders/{id}/receipt) is a receipt to check, with `keys`, and `bet` and
`accountId`, where these are given. An object with a `head` (of GET /keys) is a signed head of the journal, with `keys`, and
`noted`, an earlier one, where there is one.
"""
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal

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


class Written(Decimal):
    """A number with a fraction or an exponent, as it is written: the statements have it as JSON has."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self):
        return self.text

    __format__ = lambda self, _: self.text


def units(number, scale):
    """A whole number of the smallest unit."""
    return int(Decimal(number) * scale)


def bet_hash(bet, client_seed, seed, round_id):
    fields = [
        "tote-bet-1",
        seed,
        round_id,
        bet["id"],
        bet["prediction"],
        str(units(bet["amount"], 100)),
        str(units(bet["oddsAtBet"], 10000)),
        str(units(bet["entryPercent"], 100)),
        str(units(bet["potentialPayout"], 100)),
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
            ("rootPublishedAt", None if root is None else root["publishedAt"]),
            ("resolvedAt", proof["resolvedAt"]),
            ("settledAt", proof["settledAt"]),
        ],
    )


MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FRAMES = {
    "ONE_MINUTE": MINUTE,
    "FIVE_MINUTES": 5 * MINUTE,
    "FIFTEEN_MINUTES": 15 * MINUTE,
    "FOUR_HOURS": 240 * MINUTE,
    "ONE_DAY": DAY,
}
SIDES = ("UP", "DOWN")
ABSENT = object()


def at(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def text(value):
    return isinstance(value, str)


def matches(pattern):
    return lambda value: text(value) and re.fullmatch(pattern, value, re.ASCII) is not None


def time(value):
    if not matches(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")(value):
        return False
    try:
        at(value)
        return True
    except ValueError:
        return False


def is_number(value):
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def count(value):
    return is_number(value) and value == int(value) and 0 <= value < 2**53


def price(value):
    return is_number(value) and value > 0


def decimal(scale):
    def test(value):
        return is_number(value) and value >= 0 and Decimal(value) * scale == units(value, scale) < 2**53

    return test


def nullable(test):
    return lambda value: value is None or test(value)


def optional(test):
    return lambda value: value is ABSENT or value is None or test(value)


def one_of(*values):
    return lambda value: any(value is one or (text(value) and value == one) for one in values)


def list_of(test):
    return lambda value: isinstance(value, list) and all(test(one) for one in value)


def form(**tests):
    def test(value):
        return isinstance(value, dict) and all(test(value.get(name, ABSENT)) for name, test in tests.items())

    return test


HASH, KEY_ID, SIGNATURE = (matches("[0-9a-f]{%d}" % length) for length in (64, 16, 128))
KEYS = list_of(form(keyId=KEY_ID, publicKey=HASH, createdAt=time, retiredAt=nullable(time)))
BET_ID = matches(r"bet_\d+")
RECEIPT = form(
    receipt=form(
        orderId=BET_ID,
        accountId=matches(r"acc_\d+"),
        betHash=HASH,
        seq=count,
        time=time,
        keyId=KEY_ID,
        signature=SIGNATURE,
    ),
    bet=optional(form(id=BET_ID, betHash=HASH, placedAt=time)),
    accountId=optional(text),
    keys=KEYS,
)
JOURNAL_HEAD = form(seq=count, chain=HASH, time=time, keyId=KEY_ID, signature=SIGNATURE)
HEAD = form(head=JOURNAL_HEAD, noted=optional(JOURNAL_HEAD), keys=KEYS)
ROOT = form(merkleRoot=HASH, treeSize=count, publishedAt=time, keyId=KEY_ID, signature=SIGNATURE)
PRICE = form(
    price=nullable(price),
    time=nullable(time),
    source=nullable(text),
    evidence=nullable(text),
    rule=one_of("boundary", "late", None),
)
EVIDENCE = form(
    bet=form(
        id=BET_ID,
        marketId=optional(text),
        crypto=optional(text),
        timeFrame=optional(text),
        prediction=one_of(*SIDES),
        amount=decimal(100),
        oddsAtBet=decimal(10000),
        entryPercent=decimal(100),
        potentialPayout=decimal(100),
        placedAt=time,
        betHash=HASH,
        round=optional(form(id=text, roundNumber=optional(count), endTime=optional(time))),
        status=optional(text),
        filledAt=optional(time),
        result=optional(one_of("WIN", "LOSS", "DRAW", "REFUNDED")),
        payout=optional(decimal(100)),
        profit=optional(lambda value: is_number(value) and decimal(100)(abs(value))),
        settledAt=optional(time),
    ),
    clientSeed=optional(text),
    orderProof=form(
        orderId=text,
        roundId=text,
        betHash=HASH,
        leafIndex=count,
        path=list_of(HASH),
        seedCommitment=HASH,
        root=ROOT,
    ),
    roundProof=form(
        id=text,
        marketId=text,
        crypto=text,
        timeFrame=one_of(*FRAMES),
        roundNumber=count,
        startTime=time,
        lockTime=time,
        endTime=time,
        seedCommitment=HASH,
        seed=HASH,
        open=PRICE,
        close=PRICE,
        result=one_of(ABSENT, "UP", "DOWN", "DRAW"),
        voidReason=nullable(text),
        poolUp=decimal(100),
        poolDown=decimal(100),
        totalPool=decimal(100),
        houseSeeds=decimal(100),
        fee=decimal(10000),
        totalBets=count,
        totalVolume=decimal(100),
        root=nullable(ROOT),
        rootInTime=one_of(True, False, None),
        resolvedAt=time,
        settledAt=time,
        statement=form(text=text, keyId=KEY_ID, signature=SIGNATURE),
    ),
    keys=KEYS,
)


def are_ordered(*values):
    return all(one <= other for one, other in zip(values, values[1:]))


def times_agree(bet, settled):
    market = f"{settled['crypto']}_{settled['timeFrame']}"
    names = [settled["marketId"] == market, settled["id"] == f"{market}_{settled['roundNumber']}"]
    frame = FRAMES[settled["timeFrame"]]
    boundary = EPOCH + frame * int(settled["roundNumber"])
    start, lock, end, resolved, paid = (
        at(settled[name]) for name in ("startTime", "lockTime", "endTime", "resolvedAt", "settledAt")
    )
    told, filled = bet.get("round") or {}, at(bet.get("filledAt") or bet["placedAt"])
    return (
        all(names)
        and all(told.get(name) in (None, settled[name]) for name in ("roundNumber", "endTime"))
        and bet.get("marketId") in (None, market)
        and all(bet.get(name) in (None, settled[name]) for name in ("crypto", "timeFrame"))
        and resolved <= at(bet.get("settledAt") or settled["settledAt"])
        and at(bet.get("settledAt") or settled["settledAt"]) <= paid
        and (settled["open"]["rule"] == "late" or start == boundary)
        and end == boundary + frame
        and boundary <= start <= at(bet["placedAt"]) <= filled < lock < end
        and (end if "result" in settled else start) <= resolved <= paid
    )


def prices_agree(settled):
    first, last = settled["open"], settled["close"]
    if first["price"] is None or first["time"] is None:
        return False
    start, end = at(settled["startTime"]), at(settled["endTime"])
    latest = start + timedelta(seconds=1 if first["rule"] == "late" else 0)
    if not start - DAY <= at(first["time"]) <= latest:
        return False
    if last["price"] is None:
        return True
    return last["time"] is not None and max(at(first["time"]), end - DAY) <= at(last["time"]) <= end


def result_agrees(bet, settled):
    said, first, last = settled.get("result"), settled["open"]["price"], settled["close"]["price"]

    def pays(result, dollars):
        paid = units(dollars, 100)
        said = {"payout": paid, "profit": paid - units(bet["amount"], 100)}
        are_told = (bet.get(name) is None or units(bet[name], 100) == value for name, value in said.items())
        return bet.get("result") in (None, result) and all(are_told)

    allowed = (None, "SETTLED") if bet.get("result") else (None, "ACTIVE", "SETTLING", "SETTLED")
    if bet.get("status") not in allowed:
        return False
    if said is None:
        return settled["voidReason"] is not None and last is None and pays("REFUNDED", bet["amount"])
    if settled["voidReason"] is not None or first is None or last is None:
        return False
    if said != ("DRAW" if first == last else "UP" if last > first else "DOWN"):
        return False
    if said == "DRAW":
        return pays("DRAW", bet["amount"])
    return pays("WIN", bet["potentialPayout"]) if said == bet["prediction"] else pays("LOSS", 0)


def pools_agree(bet, root, settled):
    up, down, total, seeds, volume = (
        units(settled[name], 100) for name in ("poolUp", "poolDown", "totalPool", "houseSeeds", "totalVolume")
    )
    return (
        min(up, down) > 0
        and up + down == total == seeds + volume
        and units(bet["amount"], 100) <= volume
        and settled["totalBets"] == root["treeSize"]
    )


def payout_agrees(bet, settled):
    stake, odds = units(bet["amount"], 100), units(bet["oddsAtBet"], 10000)
    kept, percent = 10000 - units(settled["fee"], 10000), units(bet["entryPercent"], 100)
    return (
        stake > 0
        and odds >= 10000
        and kept > 0
        and units(bet["potentialPayout"], 100) == stake * odds * kept // 10**8
        and (2 * percent - 1) * odds <= 2 * 10**8 <= (2 * percent + 1) * (odds + 1)
    )


def was_in_use(key, since, until):
    is_made = until is None or at(key["createdAt"]) <= until
    return is_made and (key["retiredAt"] is None or since <= at(key["retiredAt"]))


def by_id(keys):
    return {key["keyId"]: key for key in reversed(keys)}


def is_by_key(keys, statement, signed):
    public = bytes.fromhex(keys.get(signed["keyId"], {"publicKey": ""})["publicKey"])
    is_key = sha256(public)[:8].hex() == signed["keyId"]
    return is_key and is_signed(public, statement.encode(), bytes.fromhex(signed["signature"]))


def receipt_steps(given):
    yield "form", RECEIPT(given)
    receipt, bet, keys = given["receipt"], given.get("bet"), by_id(given["keys"])
    names = [("order", "orderId"), ("account", "accountId"), ("betHash",) * 2, ("seq",) * 2, ("time",) * 2]
    statement = lines("tote-receipt-1", [(line, receipt[name]) for line, name in names])
    yield "signature", is_by_key(keys, statement, receipt)
    made = at(receipt["time"])
    is_of_bet = bet is None or [receipt["orderId"], receipt["betHash"]] == [bet["id"], bet["betHash"]]
    yield "bet", is_of_bet and (bet is None or at(bet["placedAt"]) <= made)
    yield "account", given.get("accountId") in (None, receipt["accountId"])
    yield "keyTime", was_in_use(keys[receipt["keyId"]], made, None)


def head_steps(given):
    yield "form", HEAD(given)
    head, keys = given["head"], by_id(given["keys"])
    noted = given.get("noted") or head
    statement = lines("tote-head-1", [(name, head[name]) for name in ("seq", "chain", "time")])
    yield "signature", is_by_key(keys, statement, head)
    first, last = sorted((noted, head), key=lambda one: one["seq"])
    is_same = first["seq"] < last["seq"] or [first["chain"], first["time"]] == [last["chain"], last["time"]]
    yield "noted", is_same and at(first["time"]) <= at(last["time"])
    yield "keyTime", was_in_use(keys[head["keyId"]], at(head["time"]), None)


def steps(given):
    yield "form", EVIDENCE(given)
    bet, order, settled = given["bet"], given["orderProof"], given["roundProof"]
    keys = by_id(given["keys"])
    root = order["root"]

    def is_by_server(statement, signed):
        return is_by_key(keys, statement, signed)

    commitment = sha256(bytes.fromhex(settled["seed"])).hex()
    noted = given.get("notedCommitment", commitment)
    yield "commitment", commitment == settled["seedCommitment"] == order["seedCommitment"] == noted
    yield "hash", bet_hash(bet, given.get("clientSeed"), settled["seed"], settled["id"]) == bet["betHash"]
    is_of_round = (bet.get("round") or {"id": order["roundId"]})["id"] == order["roundId"]
    yield "order", order["betHash"] == bet["betHash"] and order["orderId"] == bet["id"] and is_of_round
    leaf = sha256(b"\x00" + bytes.fromhex(order["betHash"]))
    path = [bytes.fromhex(sibling) for sibling in order["path"]]
    reached = root_of_path(order["leafIndex"], root["treeSize"], leaf, path)
    noted = given.get("notedRoot", root["merkleRoot"])
    yield "path", reached is not None and reached.hex() == root["merkleRoot"] == noted
    statement = lines(
        "tote-root-1",
        [
            ("round", order["roundId"]),
            ("seedCommitment", order["seedCommitment"]),
            ("treeSize", root["treeSize"]),
            ("merkleRoot", root["merkleRoot"]),
        ],
    )
    yield "rootSignature", is_by_server(statement, root)
    yield "sameRoot", settled["root"] == root and order["roundId"] == settled["id"]
    yield "statement", settlement_text(settled) == settled["statement"]["text"]
    yield "statementSignature", is_by_server(settled["statement"]["text"], settled["statement"])
    yield "times", times_agree(bet, settled)
    yield "prices", prices_agree(settled)
    yield "result", result_agrees(bet, settled)
    yield "pools", pools_agree(bet, root, settled)
    yield "payout", payout_agrees(bet, settled)
    published, end = at(root["publishedAt"]), at(settled["endTime"])
    is_between = are_ordered(at(settled["lockTime"]), published, at(settled["settledAt"]))
    yield "rootTime", is_between and settled["rootInTime"] is (published < end)
    is_root_key = was_in_use(keys[root["keyId"]], published, published)
    yield "keyTime", is_root_key and was_in_use(
        keys[settled["statement"]["keyId"]], at(settled["settledAt"]), None
    )


def warnings(settled, root):
    if at(root["publishedAt"]) >= at(settled["endTime"]):
        yield "lateRoot"
    ages = [at(settled["startTime"]) - at(settled["open"]["time"])]
    if settled["close"]["price"] is not None:
        ages.append(at(settled["endTime"]) - at(settled["close"]["time"]))
    if max(ages) > timedelta(seconds=10):
        yield "oldPrice"


def verdict(given):
    is_proof = "receipt" not in given and "head" not in given
    checks = steps if is_proof else head_steps if "head" in given else receipt_steps
    for name, holds in checks(given):
        if not holds:
            return f"FAILED {name}"
    if not is_proof:
        return "OK"
    return " ".join(["OK", *warnings(given["roundProof"], given["orderProof"]["root"])])


def main():
    # Numbers stay as they are written: prices are compared as text.
    given = json.load(sys.stdin, parse_float=Written)
    verdicts = [verdict(one) for one in (given if isinstance(given, list) else [given])]
    print("\n".join(verdicts))
    return 0 if all(one.startswith("OK") for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
