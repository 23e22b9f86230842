# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MARKET v1.0.0. Order books where published assets are traded: by price, then by time, paid in the same moment."""

from __future__ import annotations

from typing import List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class CancelOrdersInput(Input):
    """Cancel all your open orders at once, of one order book or side, or all."""

    instrument: str | None = None
    """Only orders of this order book; all of this market where absent."""
    side: Literal["buy", "sell"] | None = None
    """Only orders of this side; both where absent."""


class CancelOrdersOutput(Output):
    """Answer of MARKET cancel_orders."""

    cancelled: List[CancelOrdersOutputCancelled]
    """The orders, by order book and then in their order of arrival."""
    released: List[CancelOrdersOutputReleased]
    """What all of them gave back to your balance, by asset."""
    more: bool
    """True: open orders are left, because one call has a limit; call again."""


class CancelOrdersOutputCancelled(Output):
    """A part of the above."""

    order_id: str
    """Names the order."""
    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    side: Literal["buy", "sell"] | str
    """Whether it bought or sold the base asset."""
    cancelled: str
    """How much of it was withdrawn untraded."""
    released: str
    """What it gave back to your balance, in minor units of what it held back."""


class CancelOrdersOutputReleased(Output):
    """A part of the above."""

    asset_id: str
    """The asset."""
    amount: str
    """Whole minor units, added up."""


class CreateOrderInput(Input):
    """Buy or sell: place an order, cancel it, or replace it."""

    action: Literal["cancel", "replace"] | None = None
    """Change the order order_id; absent means a new order."""
    order_id: str | None = None
    """The order to cancel or replace."""
    instrument: str | None = None
    """base/quote: the asset that is traded, and the one it is paid in."""
    side: Literal["buy", "sell"] | None = None
    """Whether to buy or sell the base asset."""
    type: Literal["limit", "market"] | None = None
    """limit (default): at price or better; market: at the best prices there are."""
    quantity: str | None = None
    """How much to trade, in minor units of the base asset."""
    price: str | None = None
    """Limit per lot, in minor units of the quote asset."""
    time_in_force: Literal["GTC", "IOC", "FOK", "GTD"] | None = None
    """GTC (default) until cancelled, GTD until expires_at, IOC at once, FOK at once and whole."""
    expires_at: str | None = None
    """When it ends by itself; needed for GTD."""
    post_only: bool | None = None
    """Refuse the order if it would trade at once. Default false."""
    directed_to: str | None = None
    """The only one who may trade with it; absent means anyone."""
    client_order_id: str | None = None
    """Your own name for the order."""


class CreateOrderOutput(Output):
    """Answer of MARKET create_order."""

    order_id: str
    """Names the order."""
    seq: int
    """Place in the order book: at one price the lowest is matched first."""
    state: Literal["OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED"] | str
    """OPEN and PARTIALLY_FILLED orders can still trade; the others have ended."""
    quantity: str
    """How much was ordered, in minor units of the base asset."""
    filled: str
    """How much of it was traded."""
    remaining: str
    """How much of it can still trade."""
    cancelled: str
    """How much of it was withdrawn untraded."""
    avg_price: CreateOrderOutputAvgPrice | None = None
    """Quote minor units per lot, as a fraction in lowest terms."""
    ended_because: Literal["self_trade", "fill_limit", "immediate_or_cancel", "cancelled", "expired", "dissolution"] | str | None = None
    """Why the rest was not traded; absent while open or when filled."""
    fills: List[CreateOrderOutputFill]
    """Trades made at once."""
    reserved: str
    """How much of your balance the order holds back, in minor units."""


class CreateOrderOutputAvgPrice(Output):
    """Quote minor units per lot, as a fraction in lowest terms."""

    num: str
    """Whole minor units, added up."""
    den: str
    """Whole minor units, added up."""


class CreateOrderOutputFill(Output):
    """A part of the above."""

    trade_id: str
    """Names the trade."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """How much was traded, in minor units of the base asset."""
    maker_order_id: str
    """The order that was there before."""
    fee: str
    """Fee charged for the trade, in minor units."""


class CreateOrdersInput(Input):
    """Place several orders in one order book, one after the other, each with its own answer."""

    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    orders: List[CreateOrdersOrder]
    """Orders as in create_order; they come one after the other, in this order."""


class CreateOrdersOrder(Input):
    """A part of the above."""

    side: Literal["buy", "sell"] | None = None
    """Whether to buy or sell the base asset."""
    type: Literal["limit", "market"] | None = None
    """limit (default): at price or better; market: at the best prices there are."""
    quantity: str | None = None
    """How much to trade, in minor units of the base asset."""
    price: str | None = None
    """Limit per lot, in minor units of the quote asset."""
    time_in_force: Literal["GTC", "IOC", "FOK", "GTD"] | None = None
    """GTC (default) until cancelled, GTD until expires_at, IOC at once, FOK at once and whole."""
    expires_at: str | None = None
    """When it ends by itself; needed for GTD."""
    post_only: bool | None = None
    """Refuse the order if it would trade at once. Default false."""
    directed_to: str | None = None
    """The only one who may trade with it; absent means anyone."""
    client_order_id: str | None = None
    """Your own name for the order."""


class CreateOrdersOutput(Output):
    """Answer of MARKET create_orders."""

    results: List[CreateOrdersOutputResult]
    """One for each order, in the same order: either order or refused."""


class CreateOrdersOutputResult(Output):
    """A part of the above."""

    order: CreateOrdersOutputResultOrder | None = None
    """The order that was taken."""
    refused: CreateOrdersOutputResultRefused | None = None
    """Why it was refused; nothing of it was done, and the others are not affected."""


class CreateOrdersOutputResultOrder(Output):
    """The order that was taken."""

    order_id: str
    """Names the order."""
    seq: int
    """Place in the order book: at one price the lowest is matched first."""
    state: Literal["OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED"] | str
    """OPEN and PARTIALLY_FILLED orders can still trade; the others have ended."""
    quantity: str
    """How much was ordered, in minor units of the base asset."""
    filled: str
    """How much of it was traded."""
    remaining: str
    """How much of it can still trade."""
    cancelled: str
    """How much of it was withdrawn untraded."""
    avg_price: CreateOrdersOutputResultOrderAvgPrice | None = None
    """Quote minor units per lot, as a fraction in lowest terms."""
    ended_because: Literal["self_trade", "fill_limit", "immediate_or_cancel", "cancelled", "expired", "dissolution"] | str | None = None
    """Why the rest was not traded; absent while open or when filled."""
    fills: List[CreateOrdersOutputResultOrderFill]
    """Trades made at once."""
    reserved: str
    """How much of your balance the order holds back, in minor units."""


class CreateOrdersOutputResultOrderAvgPrice(Output):
    """Quote minor units per lot, as a fraction in lowest terms."""

    num: str
    """Whole minor units, added up."""
    den: str
    """Whole minor units, added up."""


class CreateOrdersOutputResultOrderFill(Output):
    """A part of the above."""

    trade_id: str
    """Names the trade."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """How much was traded, in minor units of the base asset."""
    maker_order_id: str
    """The order that was there before."""
    fee: str
    """Fee charged for the trade, in minor units."""


class CreateOrdersOutputResultRefused(Output):
    """Why it was refused; nothing of it was done, and the others are not affected."""

    code: Literal["policy_denied", "invalid_payload"] | str
    """invalid_payload: it can never be taken as it is; policy_denied: not now, or not from you."""
    reason: str
    """In a few fixed words."""
    message: str
    """What happened, and what to do."""
    order_id: str | None = None
    """The order that has its client_order_id already."""


class ExecuteTradeInput(Input):
    """Take what the market offers now, or a quote that was made to you."""

    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    side: Literal["buy", "sell"]
    """Whether to buy or sell the base asset."""
    quantity: str
    """How much to trade, in minor units of the base asset."""
    limit_price: str | None = None
    """The worst price per lot you accept, in minor units of the quote asset."""
    order_id: str | None = None
    """Trade with this order only."""
    min_quantity: str | None = None
    """Trade at least this much, or nothing."""


class ExecuteTradeOutput(Output):
    """Answer of MARKET execute_trade."""

    order_id: str
    """Names the order."""
    seq: int
    """Place that the order took in the order book."""
    trades: List[ExecuteTradeOutputTrade]
    """Trades that were made, best price first."""
    filled: str
    """How much was traded, in minor units of the base asset."""
    unfilled: str
    """How much was not traded."""
    notional: str
    """Whole minor units, added up."""
    fees: str
    """Whole minor units, added up."""
    journal_ids: List[str]
    """Ledger journals that booked the trades."""
    ended_because: Literal["self_trade", "fill_limit", "immediate_or_cancel", "cancelled", "expired", "dissolution"] | str | None = None
    """Why less than the quantity was traded; absent if all was."""


class ExecuteTradeOutputTrade(Output):
    """A part of the above."""

    trade_id: str
    """Names the trade."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """How much was traded, in minor units of the base asset."""
    maker_order_id: str
    """The order that was there before."""
    notional: str
    """Whole minor units, added up."""
    fee: str
    """Whole minor units, added up."""
    state: Literal["SETTLED"] | str
    """Always SETTLED: a trade is paid when it is made."""


class FollowBookInput(Input):
    """Follow an order book: its trades and best prices as they change, each with the next number."""

    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    after_seq: int | None = None
    """The last seq you know: what follows begins right after it, without a snapshot."""
    depth: int | None = None
    """Best price levels of each side. Default 10."""
    wait_ms: int | None = None
    """How long to stream, or without stream how long to wait for something new. Default 0."""
    stream: bool | None = None
    """Send each event when it happens, as progress with its seq as id. Needs Accept: text/event-stream; not available over MCP. Default false."""


class FollowBookOutput(Output):
    """Answer of MARKET follow_book."""

    events: List[FollowBookOutputEvent]
    """What happened; empty for a stream, which sent it."""
    next_seq: int
    """The last seq that was told: send it as after_seq to go on."""


class FollowBookOutputEvent(Output):
    """A part of the above."""

    kind: Literal["snapshot", "change"] | str
    """snapshot: the best levels as they are, to begin with; change: what is different from the event before."""
    seq: int
    """The place of the change in the order book: each change has the next number."""
    at: str | None = None
    """When it happened; absent where nothing ever did."""
    bids: List[FollowBookOutputEventBid] | None = None
    """Buy levels, highest first; in a snapshot."""
    asks: List[FollowBookOutputEventBid] | None = None
    """Sell levels, lowest first; in a snapshot."""
    trades: List[FollowBookOutputEventTrade] | None = None
    """Trades of this change, in their order; not those of quotes."""
    levels: List[FollowBookOutputEventLevel] | None = None
    """Best levels that are different now, with what they have; quantity 0: no longer among the best."""


class FollowBookOutputEventBid(Output):
    """A part of the above."""

    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """Open quantity at this price, in minor units of the base asset."""
    orders: int
    """Number of orders at this price."""


class FollowBookOutputEventTrade(Output):
    """A part of the above."""

    trade_id: str
    """Names the trade."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """How much was traded, in minor units of the base asset."""
    taker_side: Literal["buy", "sell"] | str
    """Side of the order that came later."""


class FollowBookOutputEventLevel(Output):
    """A part of the above."""

    side: Literal["buy", "sell"] | str
    """buy for bids, sell for asks."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """Open quantity at this price, in minor units of the base asset."""
    orders: int
    """Number of orders at this price."""


class QueryOrderbookInput(Input):
    """See the market: price levels, last trades, and what is yours in it."""

    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    depth: int | None = None
    """Price levels of each side. Default 20."""
    mine: bool | None = None
    """Also return your open orders and quotes directed to you. Default false."""
    before_seq: int | None = None
    """The next page of my_orders: those before this seq."""
    order_id: str | None = None
    """Also return this order."""
    trades_limit: int | None = None
    """How many of the newest trades to return. Default 0."""


class QueryOrderbookOutput(Output):
    """Answer of MARKET query_orderbook."""

    bids: List[QueryOrderbookOutputBid]
    """Buy orders by price, highest first."""
    asks: List[QueryOrderbookOutputBid]
    """Sell orders by price, lowest first."""
    spread: str | None = None
    """Lowest ask less highest bid; absent where a side is empty."""
    last_trade: QueryOrderbookOutputLastTrade | None = None
    """The newest trade; absent where there was none."""
    my_orders: List[QueryOrderbookOutputMyOrder] | None = None
    """Your open orders and quotes directed to you, newest first; only with mine."""
    order: QueryOrderbookOutputMyOrder | None = None
    """The order asked for by order_id."""
    trades: List[QueryOrderbookOutputLastTrade] | None = None
    """Newest trades; only with trades_limit."""
    book_seq: int
    """Increases with every change of the order book."""
    internal_trades: bool
    """Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets."""


class QueryOrderbookOutputBid(Output):
    """A part of the above."""

    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """Whole minor units, added up."""
    orders: int
    """Number of orders at this price."""


class QueryOrderbookOutputLastTrade(Output):
    """The newest trade; absent where there was none."""

    trade_id: str
    """Names the trade."""
    seq: int
    """Place among the trades of the instrument."""
    price: str
    """Price per lot, in minor units of the quote asset."""
    quantity: str
    """How much was traded, in minor units of the base asset."""
    taker_side: Literal["buy", "sell"] | str
    """Side of the order that came later."""
    at: str
    """When it was traded."""


class QueryOrderbookOutputMyOrder(Output):
    """A part of the above."""

    order_id: str
    """Names the order."""
    seq: int
    """Place in the order book: at one price the lowest is matched first."""
    state: Literal["OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED"] | str
    """OPEN and PARTIALLY_FILLED orders can still trade; the others have ended."""
    quantity: str
    """How much was ordered, in minor units of the base asset."""
    filled: str
    """How much of it was traded."""
    remaining: str
    """How much of it can still trade."""
    cancelled: str
    """How much of it was withdrawn untraded."""
    avg_price: QueryOrderbookOutputMyOrderAvgPrice | None = None
    """Quote minor units per lot, as a fraction in lowest terms."""
    ended_because: Literal["self_trade", "fill_limit", "immediate_or_cancel", "cancelled", "expired", "dissolution"] | str | None = None
    """Why the rest was not traded; absent while open or when filled."""
    instrument: str
    """base/quote: the asset that is traded, and the one it is paid in."""
    side: Literal["buy", "sell"] | str
    """Whether it buys or sells the base asset."""
    type: Literal["limit", "market"] | str
    """limit: at price or better; market: at the best prices there are."""
    time_in_force: Literal["GTC", "IOC", "FOK", "GTD"] | str
    """GTC until cancelled, GTD until expires_at, IOC at once or not, FOK at once and whole or not."""
    post_only: bool
    """It never takes: refused if it would trade at once."""
    price: str | None = None
    """Price per lot, in minor units of the quote asset; absent for a market order."""
    expires_at: str | None = None
    """When it ends by itself; only for GTD."""
    placed_at: str
    """When it was placed."""
    owner_did: str
    """Who placed it."""
    directed_to: str | None = None
    """The only one who may trade with it; absent where anyone may."""
    client_order_id: str | None = None
    """Your own name for the order."""
    reserved: str | None = None
    """How much of the balance it holds back, in minor units; only for its owner."""


class QueryOrderbookOutputMyOrderAvgPrice(Output):
    """Quote minor units per lot, as a fraction in lowest terms."""

    num: str
    """Whole minor units, added up."""
    den: str
    """Whole minor units, added up."""


class SetRulesInput(Input):
    """Set whether your own agents may trade with each other in your market."""

    internal_trades: bool
    """Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets."""


class SetRulesOutput(Output):
    """Answer of MARKET set_rules."""

    internal_trades: bool
    """Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets."""
    before: bool
    """What the rule was until now."""
    in_force_from: str
    """Orders that come later are matched by it."""


class Market(Operations):
    """Order books where published assets are traded: by price, then by time, paid in the same moment."""

    protocol = "MARKET"

    def cancel_orders(
        self,
        *,
        instrument: str | None = None,
        side: Literal["buy", "sell"] | None = None,
    ) -> CancelOrdersOutput:
        """Cancel all your open orders at once, of one order book or side, or all. A write: never retried."""
        return self._call("cancel_orders", CancelOrdersInput, CancelOrdersOutput, {
            "instrument": instrument,
            "side": side,
        })

    def create_order(
        self,
        *,
        action: Literal["cancel", "replace"] | None = None,
        order_id: str | None = None,
        instrument: str | None = None,
        side: Literal["buy", "sell"] | None = None,
        type: Literal["limit", "market"] | None = None,
        quantity: str | None = None,
        price: str | None = None,
        time_in_force: Literal["GTC", "IOC", "FOK", "GTD"] | None = None,
        expires_at: str | None = None,
        post_only: bool | None = None,
        directed_to: str | None = None,
        client_order_id: str | None = None,
    ) -> CreateOrderOutput:
        """Buy or sell: place an order, cancel it, or replace it. A write: never retried."""
        return self._call("create_order", CreateOrderInput, CreateOrderOutput, {
            "action": action,
            "order_id": order_id,
            "instrument": instrument,
            "side": side,
            "type": type,
            "quantity": quantity,
            "price": price,
            "time_in_force": time_in_force,
            "expires_at": expires_at,
            "post_only": post_only,
            "directed_to": directed_to,
            "client_order_id": client_order_id,
        })

    def create_orders(
        self,
        *,
        instrument: str,
        orders: List[CreateOrdersOrder],
    ) -> CreateOrdersOutput:
        """Place several orders in one order book, one after the other, each with its own answer. A write: never retried."""
        return self._call("create_orders", CreateOrdersInput, CreateOrdersOutput, {
            "instrument": instrument,
            "orders": orders,
        })

    def execute_trade(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        quantity: str,
        limit_price: str | None = None,
        order_id: str | None = None,
        min_quantity: str | None = None,
    ) -> ExecuteTradeOutput:
        """Take what the market offers now, or a quote that was made to you. A write: never retried."""
        return self._call("execute_trade", ExecuteTradeInput, ExecuteTradeOutput, {
            "instrument": instrument,
            "side": side,
            "quantity": quantity,
            "limit_price": limit_price,
            "order_id": order_id,
            "min_quantity": min_quantity,
        })

    def follow_book(
        self,
        *,
        instrument: str,
        after_seq: int | None = None,
        depth: int | None = None,
        wait_ms: int | None = None,
        stream: bool | None = None,
    ) -> FollowBookOutput:
        """Follow an order book: its trades and best prices as they change, each with the next number. A read: retried."""
        return self._call("follow_book", FollowBookInput, FollowBookOutput, {
            "instrument": instrument,
            "after_seq": after_seq,
            "depth": depth,
            "wait_ms": wait_ms,
            "stream": stream,
        })

    def query_orderbook(
        self,
        *,
        instrument: str,
        depth: int | None = None,
        mine: bool | None = None,
        before_seq: int | None = None,
        order_id: str | None = None,
        trades_limit: int | None = None,
    ) -> QueryOrderbookOutput:
        """See the market: price levels, last trades, and what is yours in it. A read: retried."""
        return self._call("query_orderbook", QueryOrderbookInput, QueryOrderbookOutput, {
            "instrument": instrument,
            "depth": depth,
            "mine": mine,
            "before_seq": before_seq,
            "order_id": order_id,
            "trades_limit": trades_limit,
        })

    def set_rules(
        self,
        *,
        internal_trades: bool,
    ) -> SetRulesOutput:
        """Set whether your own agents may trade with each other in your market. A write: never retried."""
        return self._call("set_rules", SetRulesInput, SetRulesOutput, {
            "internal_trades": internal_trades,
        })


class AsyncMarket(AsyncOperations):
    """Order books where published assets are traded: by price, then by time, paid in the same moment."""

    protocol = "MARKET"

    async def cancel_orders(
        self,
        *,
        instrument: str | None = None,
        side: Literal["buy", "sell"] | None = None,
    ) -> CancelOrdersOutput:
        """Cancel all your open orders at once, of one order book or side, or all. A write: never retried."""
        return await self._call("cancel_orders", CancelOrdersInput, CancelOrdersOutput, {
            "instrument": instrument,
            "side": side,
        })

    async def create_order(
        self,
        *,
        action: Literal["cancel", "replace"] | None = None,
        order_id: str | None = None,
        instrument: str | None = None,
        side: Literal["buy", "sell"] | None = None,
        type: Literal["limit", "market"] | None = None,
        quantity: str | None = None,
        price: str | None = None,
        time_in_force: Literal["GTC", "IOC", "FOK", "GTD"] | None = None,
        expires_at: str | None = None,
        post_only: bool | None = None,
        directed_to: str | None = None,
        client_order_id: str | None = None,
    ) -> CreateOrderOutput:
        """Buy or sell: place an order, cancel it, or replace it. A write: never retried."""
        return await self._call("create_order", CreateOrderInput, CreateOrderOutput, {
            "action": action,
            "order_id": order_id,
            "instrument": instrument,
            "side": side,
            "type": type,
            "quantity": quantity,
            "price": price,
            "time_in_force": time_in_force,
            "expires_at": expires_at,
            "post_only": post_only,
            "directed_to": directed_to,
            "client_order_id": client_order_id,
        })

    async def create_orders(
        self,
        *,
        instrument: str,
        orders: List[CreateOrdersOrder],
    ) -> CreateOrdersOutput:
        """Place several orders in one order book, one after the other, each with its own answer. A write: never retried."""
        return await self._call("create_orders", CreateOrdersInput, CreateOrdersOutput, {
            "instrument": instrument,
            "orders": orders,
        })

    async def execute_trade(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        quantity: str,
        limit_price: str | None = None,
        order_id: str | None = None,
        min_quantity: str | None = None,
    ) -> ExecuteTradeOutput:
        """Take what the market offers now, or a quote that was made to you. A write: never retried."""
        return await self._call("execute_trade", ExecuteTradeInput, ExecuteTradeOutput, {
            "instrument": instrument,
            "side": side,
            "quantity": quantity,
            "limit_price": limit_price,
            "order_id": order_id,
            "min_quantity": min_quantity,
        })

    async def follow_book(
        self,
        *,
        instrument: str,
        after_seq: int | None = None,
        depth: int | None = None,
        wait_ms: int | None = None,
        stream: bool | None = None,
    ) -> FollowBookOutput:
        """Follow an order book: its trades and best prices as they change, each with the next number. A read: retried."""
        return await self._call("follow_book", FollowBookInput, FollowBookOutput, {
            "instrument": instrument,
            "after_seq": after_seq,
            "depth": depth,
            "wait_ms": wait_ms,
            "stream": stream,
        })

    async def query_orderbook(
        self,
        *,
        instrument: str,
        depth: int | None = None,
        mine: bool | None = None,
        before_seq: int | None = None,
        order_id: str | None = None,
        trades_limit: int | None = None,
    ) -> QueryOrderbookOutput:
        """See the market: price levels, last trades, and what is yours in it. A read: retried."""
        return await self._call("query_orderbook", QueryOrderbookInput, QueryOrderbookOutput, {
            "instrument": instrument,
            "depth": depth,
            "mine": mine,
            "before_seq": before_seq,
            "order_id": order_id,
            "trades_limit": trades_limit,
        })

    async def set_rules(
        self,
        *,
        internal_trades: bool,
    ) -> SetRulesOutput:
        """Set whether your own agents may trade with each other in your market. A write: never retried."""
        return await self._call("set_rules", SetRulesInput, SetRulesOutput, {
            "internal_trades": internal_trades,
        })
