/**
 * The types of the public API, generated from its OpenAPI document by `npm run client-types`; a test holds them equal to
 * what that document says now.
 */
export interface paths {
    readonly "/markets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List all active markets with current round, pools and live odds
         * @description Scope `markets:read`. At most 50 ms old.
         */
        readonly get: operations["listMarkets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/markets/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One market
         * @description Scope `markets:read`. At most 50 ms old.
         */
        readonly get: operations["getMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/prices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Current price per asset
         * @description Scope `markets:read`. The open price of each asset's latest round, not real-time ticks; assets that never had a round are left out.
         */
        readonly get: operations["listPrices"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/positions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Your positions
         * @description Scope `positions:read`.
         */
        readonly get: operations["listPositions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Your recent orders, most recent first
         * @description Scope `positions:read`.
         */
        readonly get: operations["listOrders"];
        readonly put?: never;
        /**
         * Place a bet
         * @description Scope `orders:write`, which needs Silver tier or higher. The bet lands on the market's current round, which must be LIVE, more than 20 seconds before it locks. The answer is sent when the bet is on disk: no crash takes it back.
         */
        readonly post: operations["placeOrder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rounds/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One round with its provably-fair seed
         * @description Scope `markets:read`. Shows the commitment to the seed from the beginning and the seed itself once the round is SETTLED. Each market keeps its last 200 settled rounds here.
         */
        readonly get: operations["getRound"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/time": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The server's clock
         * @description Scope `markets:read`. By this clock rounds open and lock, and bets are placed.
         */
        readonly get: operations["getTime"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Your rate limits, what is left of each, and what you may bet
         * @description Scope `positions:read`. This request is counted.
         */
        readonly get: operations["getLimits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * This document
         * @description Needs no key, but counts for the address, and for the key if one is sent. Pages of any origin may read it.
         */
        readonly get: operations["getOpenApi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An UP/DOWN market with its pools and live odds. */
        readonly Market: {
            /** @description `<CRYPTO>_<TIMEFRAME>`. */
            readonly id: string;
            readonly crypto: components["schemas"]["Crypto"];
            readonly timeFrame: components["schemas"]["TimeFrame"];
            /** @description Pool on UP in USD, the house's seed included. */
            readonly poolUp: number;
            /** @description Pool on DOWN in USD, the house's seed included. */
            readonly poolDown: number;
            readonly totalPool: number;
            /** @description totalPool / poolUp, rounded down to four decimals; 2 where there are no pools. */
            readonly oddsUp: number;
            /** @description totalPool / poolDown, rounded down to four decimals; 2 where there are no pools. */
            readonly oddsDown: number;
            /** @description Pool share of UP in percent, two decimals; 50 where there are no pools. */
            readonly percentUp: number;
            /** @description 100 - percentUp. */
            readonly percentDown: number;
            /** @description Least stake in USD. */
            readonly minBet: number;
            /** @description Greatest stake in USD; the account's tier may allow less. */
            readonly maxBet: number;
            /** @description The stake in USD up to which a bet on UP is within what the round can bear now; 0 while no bets are taken (extension). */
            readonly availableUp: number;
            /** @description The same of DOWN (extension). */
            readonly availableDown: number;
            /** @description null when there is none: no fresh price, outside market hours, or the market is suspended. */
            readonly currentRound: components["schemas"]["Round"] | null;
        };
        /** @description One round of a market. */
        readonly Round: {
            /** @description `<marketId>_<roundNumber>`: stable across restarts, never used again. */
            readonly id: string;
            readonly roundNumber: components["schemas"]["Count"];
            readonly startTime: components["schemas"]["DateTime"];
            /** @description Betting locks at this time; bets are refused some time before it, see `bettingClosesAt`. */
            readonly lockTime: components["schemas"]["DateTime"];
            readonly endTime: components["schemas"]["DateTime"];
            /**
             * Format: date-time
             * @description Bets are refused from this time on: 20 seconds before `lockTime`, or what the rules said when the round opened (extension).
             */
            readonly bettingClosesAt: string;
            /** @description Whole seconds until the round ends, rounded down; stops at 0. */
            readonly timeRemaining: components["schemas"]["Count"];
            /** @description Milliseconds until betting locks; stops at 0. */
            readonly timeToLock: components["schemas"]["Count"];
            /** @description Milliseconds until bets are refused; stops at 0 (extension). */
            readonly timeToBettingClose: number;
            /** @description null while UPCOMING. */
            readonly openPrice: number | null;
            /** @description The latest accepted price of the asset; null where none has arrived since the server's start. */
            readonly currentPrice: number | null;
            readonly status: components["schemas"]["RoundStatus"];
            /** @description Number of bets. */
            readonly totalBets: components["schemas"]["Count"];
            /** @description Sum of all stakes in USD, without the house's seeds. */
            readonly totalVolume: number;
            /** @description Absent while the round is open, and for a round that was voided. */
            readonly result?: components["schemas"]["RoundResult"];
        };
        readonly Count: number;
        /** Format: date-time */
        readonly DateTime: string;
        /** @description The open price of the asset's latest round. */
        readonly Price: {
            readonly crypto: components["schemas"]["Crypto"];
            readonly price: number;
            /** @constant */
            readonly source: "round_open";
            /** @description The time of that open price: lets the client judge its age. */
            readonly timestamp: components["schemas"]["DateTime"];
        };
        /** @description One bet. */
        readonly Position: {
            readonly id: string;
            readonly marketId: string | null;
            readonly crypto: components["schemas"]["Crypto"] | null;
            readonly timeFrame: components["schemas"]["TimeFrame"] | null;
            readonly prediction: components["schemas"]["Prediction"];
            /** @description Stake in USD. */
            readonly amount: number;
            readonly oddsAtBet: number;
            /** @description What a WIN pays, stake included: amount * oddsAtBet * 0.97, rounded down to the cent. */
            readonly potentialPayout: number;
            readonly status: components["schemas"]["BetStatus"];
            /** @description WIN pays potentialPayout, LOSS nothing; DRAW and REFUNDED (the round was voided) return the stake. */
            readonly result: components["schemas"]["BetResult"] | null;
            readonly payout: number | null;
            /** @description payout - amount. */
            readonly profit: number | null;
            readonly isLimitOrder: boolean;
            readonly placedAt: components["schemas"]["DateTime"];
            readonly settledAt: components["schemas"]["DateTime"] | null;
            /**
             * @description The side's share of the pool in percent after the stake had joined it, as in the answer to the order (extension). null
             *     for old bets of which it is no longer known.
             */
            readonly entryPercent: number | null;
            /** @description The provably-fair hash of the answer to the order (extension); null where entryPercent is. */
            readonly betHash: string | null;
            readonly round: components["schemas"]["PositionRound"];
        };
        /** @description What a position shows of its round. */
        readonly PositionRound: {
            /** @description As of `GET /rounds/{id}`, which has the seed with which `betHash` can be checked (extension). */
            readonly id: string;
            readonly roundNumber: components["schemas"]["Count"];
            readonly status: components["schemas"]["RoundStatus"];
            readonly endTime: components["schemas"]["DateTime"];
        };
        /** @description A bet to place on the current round of a market. */
        readonly OrderRequest: {
            /** @description A market id such as `BTC_ONE_MINUTE`. */
            readonly marketId: string;
            readonly prediction: components["schemas"]["Prediction"];
            /** @description Stake in USD, at most two decimals, within minBet and maxBet of the market and the limit of the account's tier. */
            readonly amount: number;
            /** @description Slippage guard: the order is refused with `odds_changed` when the side's live percent is more than 15 points away. */
            readonly expectedPercent?: number;
            /** @description The round that the bet must land in: the order is refused with `round_changed` when the market's current round is another one (extension). */
            readonly roundId?: string;
            /**
             * Format: date-time
             * @description The last moment at which the order may be executed: after it the order is refused with `order_expired` (extension).
             */
            readonly validUntil?: string;
            /** @description Least odds with the stake in its pool, to four decimals: the order is refused with `odds_changed` where it would get less (extension). */
            readonly minOdds?: number;
            /** @description Mixed into betHash; at most 128 bytes of UTF-8, so fewer characters where they are not all ASCII. */
            readonly clientSeed?: string;
        };
        /** @description The answer to an accepted order; a replay is the same, byte for byte. */
        readonly OrderResult: {
            readonly bet: components["schemas"]["PlacedBet"];
            /** @description Account balance in USD after the bet. */
            readonly newBalance: number;
            /** @description Limit-order fills; null where there are none. */
            readonly limitOrdersFilled: components["schemas"]["LimitOrdersFilled"] | null;
        };
        /** @description An accepted bet. */
        readonly PlacedBet: {
            readonly id: string;
            readonly marketId: string;
            readonly prediction: components["schemas"]["Prediction"];
            /** @description Stake in USD. */
            readonly amount: number;
            /** @description Odds after the stake has joined its pool: the price that the bettor gets. */
            readonly oddsAtBet: number;
            /** @description The side's share of the pool in percent after the stake has joined it. */
            readonly entryPercent: number;
            /** @description What a WIN pays, stake included: amount * oddsAtBet * 0.97, rounded down to the cent. */
            readonly potentialPayout: number;
            readonly status: string;
            /** @description Provably-fair hash, SHA-256 in hex; its form is in the API guide. */
            readonly betHash: components["schemas"]["Sha256Hex"];
            readonly placedAt: components["schemas"]["DateTime"];
        };
        readonly Sha256Hex: string;
        /** @description What of resting limit orders an order has filled. */
        readonly LimitOrdersFilled: {
            readonly [key: string]: unknown;
        };
        /** @description A round with its final figures and its provably-fair seed (extension). */
        readonly RoundDetail: {
            readonly marketId: string;
            readonly crypto: components["schemas"]["Crypto"];
            readonly timeFrame: components["schemas"]["TimeFrame"];
            readonly poolUp: number;
            readonly poolDown: number;
            readonly totalPool: number;
            /** @description The fair probability of UP in percent by the latest price, before the house's shade; null where the round has no quote. */
            readonly fairPercentUp: number | null;
            readonly house: components["schemas"]["RoundHouse"];
            /** @description null until the result is decided, and for a voided round. */
            readonly closePrice: number | null;
            /** @description When the result was decided. */
            readonly resolvedAt: components["schemas"]["DateTime"] | null;
            /** @description Whether the round was voided: every bet on it is REFUNDED. */
            readonly voided: boolean;
            /** @description SHA-256 of the round's seed (its 32 bytes) in hex: published before the first bet. */
            readonly seedCommitment: components["schemas"]["Sha256Hex"];
            /** @description The round's seed in hex, 32 bytes; null until the round is SETTLED. */
            readonly seed: components["schemas"]["Sha256Hex"] | null;
            /** @description `<marketId>_<roundNumber>`: stable across restarts, never used again. */
            readonly id: string;
            readonly roundNumber: components["schemas"]["Count"];
            readonly startTime: components["schemas"]["DateTime"];
            /** @description Betting locks at this time; bets are refused some time before it, see `bettingClosesAt`. */
            readonly lockTime: components["schemas"]["DateTime"];
            readonly endTime: components["schemas"]["DateTime"];
            /**
             * Format: date-time
             * @description Bets are refused from this time on: 20 seconds before `lockTime`, or what the rules said when the round opened (extension).
             */
            readonly bettingClosesAt: string;
            /** @description Whole seconds until the round ends, rounded down; stops at 0. */
            readonly timeRemaining: components["schemas"]["Count"];
            /** @description Milliseconds until betting locks; stops at 0. */
            readonly timeToLock: components["schemas"]["Count"];
            /** @description Milliseconds until bets are refused; stops at 0 (extension). */
            readonly timeToBettingClose: number;
            /** @description null while UPCOMING. */
            readonly openPrice: number | null;
            /** @description The latest accepted price of the asset; null where none has arrived since the server's start. */
            readonly currentPrice: number | null;
            readonly status: components["schemas"]["RoundStatus"];
            /** @description Number of bets. */
            readonly totalBets: components["schemas"]["Count"];
            /** @description Sum of all stakes in USD, without the house's seeds. */
            readonly totalVolume: number;
            /** @description Absent while the round is open, and for a round that was voided. */
            readonly result?: components["schemas"]["RoundResult"];
        };
        /** @description How the house splits its seeds in a round: a rule that stays as it was when the round opened. */
        readonly RoundHouse: {
            readonly policy: components["schemas"]["HousePolicy"];
            /** @description Half of the house's seeds in USD; `fair` moves all of them between the sides. */
            readonly seed: number;
            /** @description How far UP's share goes from the fair one for each 2 x `seed` that the house owes more on one side. */
            readonly shade: number;
            /** @description UP's share stays so far from 0 and from 1. */
            readonly clamp: number;
        };
        /** @description The server's clock, and how far its journal is (extension). */
        readonly ServerTime: {
            /** @description Milliseconds since 1970. */
            readonly timeMs: components["schemas"]["Whole"];
            /** @description The same instant. */
            readonly time: components["schemas"]["DateTime"];
            /** @description Number of the last command that is on disk. It only ever grows, and counts everything that changes the exchange. */
            readonly seq: components["schemas"]["Whole"];
        };
        /** @description A whole number that may be above 32 bits. */
        readonly Whole: number;
        /** @description All limits of the caller (extension). */
        readonly Limits: {
            /** @description Length of the rate limits' sliding window. */
            readonly windowMs: components["schemas"]["Count"];
            readonly rateLimits: components["schemas"]["RateLimitsNow"];
            readonly bets: components["schemas"]["BetLimits"];
        };
        /** @description The four rate limits of the caller. */
        readonly RateLimitsNow: {
            /** @description The key's reads: GET, HEAD and OPTIONS. */
            readonly keyRead: components["schemas"]["RateLimit"];
            /** @description The key's writes: everything else. */
            readonly keyWrite: components["schemas"]["RateLimit"];
            /** @description All keys of the account together. */
            readonly account: components["schemas"]["RateLimit"];
            /** @description The address that the request came from. */
            readonly ip: components["schemas"]["RateLimit"];
        };
        /** @description One of the caller's rate limits. */
        readonly RateLimit: {
            /** @description Requests in any window. */
            readonly limit: components["schemas"]["Count"];
            /** @description Requests left of it after this one. */
            readonly remaining: components["schemas"]["Count"];
            /** @description Whole seconds until the oldest counted request leaves the window; 0 where none is counted. */
            readonly resetSeconds: components["schemas"]["Count"];
        };
        /** @description What the rules allow the caller's account to bet. */
        readonly BetLimits: {
            readonly tier: components["schemas"]["Tier"];
            /** @description Greatest stake in USD by the account's tier; the market's maxBet may be less. 0 where the tier cannot bet. */
            readonly maxStake: number;
            /** @description Open bets that the account may have. */
            readonly maxOpenBets: components["schemas"]["Count"];
            /** @description `expectedPercent` may be so many points away from the side's percent. */
            readonly slippagePoints: number;
            /** @description Bets are refused from so long before `lockTime`; `bettingClosesAt` of a round is what held when it opened. */
            readonly cutoffMs: components["schemas"]["Count"];
            /** @description An Idempotency-Key is remembered for so long. */
            readonly idempotencyKeyMs: components["schemas"]["Count"];
            /** @description Share of a win's payout that the house keeps. */
            readonly fee: number;
        };
        /**
         * @description An asset: crypto, a metal or a currency pair.
         * @enum {string}
         */
        readonly Crypto: "BTC" | "ETH" | "SOL" | "BNB" | "XRP" | "GOLD" | "SILVER" | "EURUSD" | "GBPUSD" | "USDJPY" | "AUDUSD" | "USDCAD" | "HYPE" | "TON";
        /**
         * @description How long the rounds of a market last.
         * @enum {string}
         */
        readonly TimeFrame: "ONE_MINUTE" | "FIVE_MINUTES" | "FIFTEEN_MINUTES" | "FOUR_HOURS" | "ONE_DAY";
        /**
         * @description The side of a bet: the price at the round's end is higher, or lower.
         * @enum {string}
         */
        readonly Prediction: "UP" | "DOWN";
        /**
         * @description A round goes through these in turn; only a LIVE one takes bets.
         * @enum {string}
         */
        readonly RoundStatus: "UPCOMING" | "LIVE" | "LOCKED" | "SETTLING" | "SETTLED";
        /**
         * @description Whether UP's share of the pools follows the fair probability that UP wins, or each side keeps its seed.
         * @enum {string}
         */
        readonly HousePolicy: "fair" | "fixed";
        /**
         * @description How the close price stands to the open price.
         * @enum {string}
         */
        readonly RoundResult: "UP" | "DOWN" | "DRAW";
        /**
         * @description ACTIVE until the round ends, SETTLING until the bet is paid, then SETTLED. The others are reserved.
         * @enum {string}
         */
        readonly BetStatus: "PENDING" | "ACTIVE" | "SETTLING" | "SETTLED" | "CANCELLED" | "EXPIRED";
        /**
         * @description WIN pays potentialPayout, LOSS nothing; DRAW and REFUNDED (the round was voided) return the stake. CASHOUT is reserved.
         * @enum {string}
         */
        readonly BetResult: "WIN" | "LOSS" | "DRAW" | "REFUNDED" | "CASHOUT";
        /**
         * @description Tier of an account, from the lowest.
         * @enum {string}
         */
        readonly Tier: "BRONZE" | "SILVER" | "GOLD" | "PLATINUM" | "VIP";
        /**
         * @description What a key may do. `orders:cancel` is reserved.
         * @enum {string}
         */
        readonly Scope: "markets:read" | "positions:read" | "orders:write" | "orders:cancel";
        /**
         * @description What `error` of a failure is, or what stands before its colon. Decide by it.
         * @enum {string}
         */
        readonly ErrorCode: "invalid_request" | "round_not_live" | "betting_closed" | "order_expired" | "stake_out_of_range" | "insufficient_balance" | "round_exposure_limit" | "too_many_open_bets" | "idempotency_key_reused" | "missing_api_key" | "invalid_api_key" | "key_disabled" | "key_expired" | "insufficient_scope" | "tier_too_low" | "account_frozen" | "market_not_found" | "round_not_found" | "not_found" | "method_not_allowed" | "request_timeout" | "slow_consumer" | "odds_changed" | "round_changed" | "idempotency_in_progress" | "body_too_large" | "unsupported_media_type" | "upgrade_required" | "resync_required" | "rate_limited" | "too_many_streams" | "trading_disabled" | "market_suspended" | "stale_price" | "clock_unsynchronised" | "journal_backlog" | "disk_reserve" | "idempotency_full" | "overloaded" | "shutting_down";
        /** @description The envelope of every failure. */
        readonly Failure: {
            /** @constant */
            readonly success: false;
            /** @description An ErrorCode such as `odds_changed`, or the code, a colon and a sentence for people: `error.split(":")[0]` is the code. */
            readonly error: string;
            /** @description Only with `odds_changed`, and only if the order had `minOdds`: what it would have met. */
            readonly current?: {
                /** @description The side's live percent. */
                readonly percent: number;
                /** @description Odds with the stake of this order in its pool. */
                readonly oddsAtBet: number;
            };
        };
    };
    responses: {
        /**
         * @description The request does not show where it ends.
         *
         *     - `invalid_request`: the sentence names the field and what was expected
         */
        readonly BadRequest: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description A parameter is unknown, given twice or out of range.
         *
         *     - `invalid_request`: the sentence names the field and what was expected
         */
        readonly BadParameter: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description The order is not well-formed, or the rules refuse it.
         *
         *     - `invalid_request`: the sentence names the field and what was expected
         *     - `round_not_live`: the market has no LIVE round now
         *     - `betting_closed`: the round locks too soon: the rules' cutoff or less is left
         *     - `order_expired`: the order came after its `validUntil`
         *     - `stake_out_of_range`: outside minBet and maxBet or the tier's limit; the sentence gives the range
         *     - `insufficient_balance`: the stake is more than the balance
         *     - `round_exposure_limit`: the round would come to owe too much on this side; the sentence says what can be bet now
         *     - `too_many_open_bets`: the account has as many open bets as the rules allow
         *     - `idempotency_key_reused`: the key stands for another order
         */
        readonly BadOrder: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Missing, malformed or unknown API key.
         *
         *     - `missing_api_key`: no `X-API-Key`
         *     - `invalid_api_key`: malformed or unknown
         */
        readonly Unauthorized: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Key disabled or expired, or scope missing.
         *
         *     - `key_disabled`: an operator has disabled the key
         *     - `key_expired`: make another
         *     - `insufficient_scope`: the key lacks the endpoint's scope
         */
        readonly Forbidden: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Key disabled or expired, scope missing, tier too low for the scope, or account frozen.
         *
         *     - `key_disabled`: an operator has disabled the key
         *     - `key_expired`: make another
         *     - `insufficient_scope`: the key lacks the endpoint's scope
         *     - `tier_too_low`: writing needs Silver or higher
         *     - `account_frozen`: the account reads, but takes no orders
         */
        readonly OrderForbidden: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description There is no such market.
         *
         *     - `market_not_found`: no active market has this id
         */
        readonly MarketNotFound: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description There is no such round any more, or yet.
         *
         *     - `round_not_found`: no round in memory has this id
         */
        readonly RoundNotFound: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description The body took too long to arrive.
         *
         *     - `request_timeout`: the body took too long to arrive
         */
        readonly RequestTimeout: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description The odds moved beyond tolerance, the round is another one, or the first request with this Idempotency-Key is still in progress.
         *
         *     - `odds_changed`: look at the market again and decide anew; with `minOdds`, `current` has what it is now
         *     - `round_changed`: the market's current round is not the order's `roundId`
         *     - `idempotency_in_progress`: the first request is not on disk yet; try again
         */
        readonly Conflict: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description The body is too large.
         *
         *     - `body_too_large`: a body has at most 16 KiB
         */
        readonly ContentTooLarge: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description The body is not `application/json`, or it has a Content-Encoding other than `identity`.
         *
         *     - `unsupported_media_type`: the body must be `application/json`, and not compressed
         */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Rate limit exceeded; the sentence and `RateLimit` name it.
         *
         *     - `rate_limited`: the sentence names the limit; wait as long as `Retry-After` says
         */
        readonly TooManyRequests: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Orders are not taken right now; this one was not placed.
         *
         *     - `trading_disabled`: an operator has stopped orders; the sentence gives the reason
         *     - `market_suspended`: an operator has stopped orders in this market
         *     - `stale_price`: the house has no fresh price to quote from; try again
         *     - `clock_unsynchronised`: the server's clock is not to be trusted right now
         *     - `journal_backlog`: the disk does not keep up; try again
         *     - `disk_reserve`: the disk is nearly full; reading and settlement go on
         *     - `idempotency_full`: the memory for Idempotency-Keys is full; try again
         *     - `overloaded`: too many requests wait for the engine; try again after `Retry-After` seconds
         *     - `shutting_down`: the server is stopping
         */
        readonly OrdersNotTaken: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
        /**
         * @description Too many requests wait for the engine.
         *
         *     - `overloaded`: too many requests wait for the engine; try again after `Retry-After` seconds
         */
        readonly Overloaded: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Requests per 60 seconds of the limit that is nearest to exhaustion.
         * @example 120
         */
        readonly "X-RateLimit-Limit": number;
        /**
         * @description Requests left of that limit.
         * @example 119
         */
        readonly "X-RateLimit-Remaining": number;
        /**
         * @description Seconds until the oldest counted request leaves its window.
         * @example 60
         */
        readonly "X-RateLimit-Reset": number;
        /**
         * @description The same as a structured field, with the limit's name: `r` requests left, `t` seconds until the reset.
         * @example "key_read";r=119;t=60
         */
        readonly RateLimit: string;
        /**
         * @description All limits: `q` requests in any `w` seconds.
         * @example "key_read";q=120;w=60, "key_write";q=30;w=60, "account";q=240;w=60, "ip";q=300;w=60
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description Unique to this response; name it when you report a problem.
         * @example 5f0c2ad91b3e-7
         */
        readonly "X-Request-Id": string;
        /** @description `true` on an answer that is replayed; absent otherwise. */
        readonly "X-Idempotent-Replay": "true";
        /**
         * @description Seconds to wait until a request will succeed.
         * @example 12
         */
        readonly "Retry-After": number;
        /**
         * @description Names the header that a key goes into.
         * @example ApiKey header="X-API-Key"
         */
        readonly "WWW-Authenticate": string;
        /**
         * @description Send it back as `If-None-Match` to be told 304 while nothing has changed.
         * @example "kq1x"
         */
        readonly ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listMarkets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the copy that you have. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All active markets. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Market"][];
                    };
                };
            };
            /** @description Your copy is the newest. */
            readonly 304: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    readonly getMarket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the copy that you have. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description Market id, `<CRYPTO>_<TIMEFRAME>`.
                 * @example BTC_ONE_DAY
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Market"];
                    };
                };
            };
            /** @description Your copy is the newest. */
            readonly 304: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["MarketNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    readonly listPrices: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the copy that you have. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One price for each asset. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Price"][];
                    };
                };
            };
            /** @description Your copy is the newest. */
            readonly 304: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    readonly listPositions: {
        readonly parameters: {
            readonly query?: {
                /** @description `active`: open positions only; `all`: the first page has the most recently changed first, the pages behind it the rest, most recently placed first. */
                readonly status?: "active" | "all";
                /** @description Only bets of this market. */
                readonly marketId?: string;
                /** @description Only bets of this round. */
                readonly roundId?: string;
                /** @description `nextCursor` of the page before, of the same list. */
                readonly cursor?: string;
                /** @description At most this many elements. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Your positions. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Position"][];
                        /** @description For `cursor`: the next page; null on the last one. Opaque, and good for as long as you like. */
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly listOrders: {
        readonly parameters: {
            readonly query?: {
                /** @description Open orders, settled ones, or all. */
                readonly status?: "active" | "settled" | "all";
                /** @description Only bets of this market. */
                readonly marketId?: string;
                /** @description Only bets of this round. */
                readonly roundId?: string;
                /** @description Only orders that were placed before this order (`bet_7`) or this time; instead of `cursor`. */
                readonly before?: string;
                /** @description `nextCursor` of the page before, of the same list. */
                readonly cursor?: string;
                /** @description At most this many elements. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Your orders. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: readonly components["schemas"]["Position"][];
                        /** @description For `cursor`: the next page; null on the last one. Opaque, and good for as long as you like. */
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly placeOrder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description A UUID or any unique string of 1 to 255 visible ASCII characters, quoted or bare; remembered for 10 minutes. The same key with the same body replays the first answer and places nothing: a new order needs a new key. */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["OrderRequest"];
            };
        };
        readonly responses: {
            /** @description The bet is placed. */
            readonly 201: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-Idempotent-Replay": components["headers"]["X-Idempotent-Replay"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["OrderResult"];
                    };
                };
            };
            readonly 400: components["responses"]["BadOrder"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["OrderForbidden"];
            readonly 404: components["responses"]["MarketNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["OrdersNotTaken"];
        };
    };
    readonly getRound: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Round id, `<CRYPTO>_<TIMEFRAME>_<roundNumber>`, such as `currentRound.id` of a market. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The round. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["RoundDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["BadParameter"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["RoundNotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Overloaded"];
        };
    };
    readonly getTime: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The time at which the request was handled. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["ServerTime"];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    readonly getLimits: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Your limits. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @constant */
                        readonly success: true;
                        readonly data: components["schemas"]["Limits"];
                    };
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
    readonly getOpenApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of the copy that you have. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description OpenAPI 3.1. */
            readonly 200: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly openapi: string;
                        readonly info: Record<string, never>;
                        readonly paths: Record<string, never>;
                    };
                };
            };
            /** @description Your copy is the newest. */
            readonly 304: {
                headers: {
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["ContentTooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
        };
    };
}
