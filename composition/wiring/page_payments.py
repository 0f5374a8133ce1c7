"""Pay for pages: hold the price in the ledger, then have a plugin make the proof."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import product
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.http.payment_terms import X402_TERMS, check_payment_proof, read_payment_offers
from webseam.adapters.pages.fetch.connect import Payment
from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.adapters.threads import run_thread_to_end
from webseam.kernel.boundary import attempt_callback, describe_crash
from webseam.kernel.planner.money import MICROS_PER_DOLLAR, has_budget_cap, payment_price_micros
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.errors import MiddlewareFailed, PaymentRequired, PluginTimedOut, WebError
from webseam.ports.errors.error_fields import PAGES_READER
from webseam.ports.middleware import CallbackTimeoutError, Payer
from webseam.ports.targets import Target

from ..planning.metering import Meter, current_meter
from ..planning.spending import PROCESS_PURSE, Charge, TargetTerms, TaskSpending
from ..settings.settings_root import SettingsRoot
from .store_setup import open_ledger

_HOLD_SECONDS = 300.0
Proof: TypeAlias = Result[tuple[str, str] | None, WebError]
_PAGES_TARGET = PlannerTarget(name="extract:pages", backend=PAGES_READER)


async def pay_for_page(
    root: SettingsRoot, target: Target, headers: Mapping[str, str]
) -> Result[Payment, WebError | str]:
    """Pay what a 402 asks for; a text says why no plugin was asked, or that it declined.

    Once a plugin was asked, the price counts as spent unless it declined: another answer, or none,
    may mean that it paid.
    """
    if isinstance(opened := root.session(), Failure):
        return opened
    session = opened.unwrap()
    chosen = _choose_offer(root, target, session.callbacks.payers, read_payment_offers(headers))
    if isinstance(chosen, Failure):
        return chosen
    if isinstance(ledger := open_ledger(root.settings.stores, root.files), Failure):
        return ledger
    payer, offer, micros = chosen.unwrap()
    named = msgspec.structs.replace(offer, payee=offer.payee or target.host)
    ask = partial(
        _ask_payer,
        payer,
        offer,
        session.callback_seconds,
        {
            "url": target.url,
            "scheme": named.scheme,
            "amount": f"{named.amount:f}",
            "currency": named.currency,
            "network": named.network,
            "payee": named.payee,
            "dollars": micros / MICROS_PER_DOLLAR,
            "terms": headers.get(X402_TERMS, ""),
        },
    )
    with closing(ledger.unwrap()) as store:
        budgets, allowance = root.settings.budgets, root.allowance
        spending = TaskSpending(budgets, store, "extract", root.clock, allowance)
        spending.share_purse(PROCESS_PURSE, root.client_budget)
        proof = await _spend_price(spending, micros, root.clock() + _HOLD_SECONDS, ask)
    if isinstance(proof, Failure):
        return Failure(proof.failure())
    if (header := proof.unwrap()) is None:
        return Failure(f"the plugin {payer.plugin} declined")
    return Success(Payment(named.price, micros / MICROS_PER_DOLLAR, header))


def _choose_offer(
    root: SettingsRoot, target: Target, payers: Sequence[Payer], offers: Sequence[PaymentRequired]
) -> Result[tuple[Payer, PaymentRequired, int], str]:
    """Return who pays which offer, and its price in micro-dollars."""
    totals = msgspec.structs.replace(root.settings.budgets, call=None)
    if not payers:
        return Failure("no plugin that pays is enabled")
    if not has_budget_cap(totals, root.allowance):
        return Failure("no budget limits payments; budgets.day would")
    if target.scheme != "https" and not is_loopback(target.host):
        return Failure("without https, others can change the price and the payee")
    for payer, offer in product(payers, offers):
        if (micros := payment_price_micros(offer, payer.dollars)) is not None:
            return Success((payer, offer, micros))
    units = sorted({unit for payer in payers for unit in payer.dollars})
    return Failure(f"plugins pay in {', '.join(units)}, and no valid price is in these")


async def _spend_price(
    spending: TaskSpending, micros: int, until: float, ask: Callable[[], Awaitable[Proof]]
) -> Proof:
    """Hold the price, ask for the proof, and charge the price unless the plugin declined."""
    meter = current_meter() or Meter()
    in_call = sum(meter.costs.values())
    refusal = spending.admit_attempt(_PAGES_TARGET, TargetTerms(), micros, in_call=in_call)
    if refusal is not None:
        return Failure(refusal)
    meter.add_payment(micros)
    wanted = [spending.make_wanted_hold(_PAGES_TARGET, micros, until)]
    written = await run_thread_to_end(partial(spending.write_holds, wanted, ()))
    held = written.bind(lambda holds: holds[0])
    # Cancelled here, the hold stays until the ledger charges it.
    proof = await ask() if isinstance(held, Success) else Failure(held.failure())
    is_declined = isinstance(held, Failure) or proof == Success(None)
    charge = Charge() if is_declined else Charge(cost=micros, calls=1)
    meter.add_payment(charge.cost - micros)
    if isinstance(held, Failure):
        spending.return_money(micros)
        return proof
    spending.settle((held.unwrap(),), charge)
    await run_thread_to_end(partial(spending.write, (), spending.take_settlements()))
    return proof


async def _ask_payer(
    payer: Payer, offer: PaymentRequired, seconds: float | None, facts: dict[str, object]
) -> Proof:
    """Return the header that a plugin made, None if it declined, or what is wrong with it."""
    failed = partial(MiddlewareFailed, plugin=payer.plugin, stage="payer")
    async with CallbackThread(seconds) as call:
        answered = await attempt_callback(call(payer.callback, facts))
    if isinstance(answered, Success):
        if answered.unwrap() is None:
            return Success(None)
        checked = check_payment_proof(offer, answered.unwrap())
        return checked.alt(lambda problem: failed(error=f"its answer {problem}"))
    raised = answered.failure()
    if isinstance(raised, CallbackTimeoutError):
        return Failure(PluginTimedOut(plugin=payer.plugin, stage="payer", seconds=raised.seconds))
    # Without the text of the exception, which may quote a proof.
    crash = describe_crash(raised)
    return Failure(failed(error=crash.error, where=crash.where))
