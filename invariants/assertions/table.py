"""Run all tests that apply to a model, and print a table."""

import textwrap

import torch

from invariants.assertions import caching, heads, reading, states
from invariants.assertions.calling import MASKS, PASTS, POSITIONS, Subject, Unrepeatable

ENCODERS = [reading.LOOK[name] for name in ("mask", "wide", "axes")]  # findings that an encoder gives, too


def check_model(
    model,
    *inputs,
    causal=None,
    order=None,
    real=None,
    cache=None,
    num_heads=None,
    num_kv_heads=None,
    axis=None,
    **options,
):
    """Run all tests that apply to a model, and print a table: promise, verdict, evidence.

    Verdicts are "kept", "broken", "open" (broken if this was promised) and "not asked", with the reason.

    Shapes: inputs, axis and options as for the assertions, so ids (B, T) or vectors (B, T, C), B of at least 2, T of 6
    causal         True for a model that writes text. If not given, a model that reads both ways is taken for an encoder
    order          whether order is promised to matter; if not given, True for ids, and False for vectors
    real           (B, T) bool, with padding. If not given, it is made up for a model that takes attention_mask or
                   key_padding_mask. In all other tests every token is real, and a required mask is filled accordingly
    cache          a function (ids, past) -> (out, past), or True for a model with this signature; if not given, True
                   for a model that takes use_cache
    num_heads      for an attention layer; also num_kv_heads, if there are fewer
    Errors: AssertionError after the table, if a promise is broken; ValueError if none is, but most could not be asked,
            or if a mask among the options contradicts real
    Source: notebook 13
    """
    rows = []  # (promise, verdict, evidence)

    def ask(promise, assertion, *args, **more):
        may_be_an_encoder = promise == "causal" and causal is None
        rows.append((promise, *_verdict(lambda: assertion(*args, **more), may_be_an_encoder, rows)))

    subject = Subject(model, inputs, options, axis)
    names = subject.names
    takes = [name for name in MASKS if name in names and name != "mask" and name not in options]
    if real is not None:
        reading.place_of(real.bool(), names, options)
    padded, options = {**options, "axis": axis}, {**_required(subject, real, takes), **options}
    given = {**options, "axis": axis}
    if subject.modules:
        ask("modes", states.assert_modes, model, *inputs, **options)
    ask("items apart", reading.assert_items_apart, model, *inputs, **given)
    if causal is not False:
        ask("causal", reading.assert_causal, model, *inputs, **given)
    if order or order is None and not subject.values[subject.text[0]].is_floating_point():
        ask("order matters", reading.assert_order_matters, model, *inputs, **given)
    for side, each in _paddings(subject, real, bool(takes), any(name in names for name in POSITIONS)):
        ask(f"padding {side}", reading.assert_padding_ignored, model, inputs, each, **padded)
        ask(f"alone = {side}-padded", reading.assert_alone_equals_batch, model, inputs, each, **padded)
    if cache or cache is None and "use_cache" in names:
        ask("cache", caching.assert_cache_equals_whole, cache if callable(cache) else model, *inputs, **padded)
    if num_heads:
        ask("heads", heads.assert_heads_independent, model, inputs, num_heads, None, num_kv_heads, **options)
    if subject.modules:
        ask("gradients", states.assert_every_parameter_learns, model, *inputs, **options)
    if isinstance(model, torch.nn.Module):
        ask("dtype and device", states.assert_dtype_and_device, model, *inputs, **options)
    _show(rows)


def _verdict(question, may_be_an_encoder, rows):
    """The verdict and the evidence of one assertion, given the earlier `rows`."""
    try:
        question()
    except Unrepeatable as error:
        known = any(verdict == "broken" for _, verdict, _ in rows)
        return "not asked" if known else "broken", str(error)
    except AssertionError as error:
        if may_be_an_encoder and str(error).endswith(tuple(ENCODERS)):
            return "open", "outputs move with later positions, as in an encoder; causal=True calls that broken"
        is_open = str(error).endswith((states.LOOK["made"], states.LOOK["idle"]))
        return "open" if is_open else "broken", str(error)
    except Exception as error:
        return "not asked", f"{type(error).__name__}: {textwrap.shorten(str(error), 160, placeholder=' ...')}"
    return "kept", ""


def _show(rows):
    """Print the table. Errors: AssertionError if a promise is broken, ValueError if most could not be asked"""
    width = max(len(promise) for promise, _, _ in rows)
    for promise, verdict, evidence in (("promise", "verdict", "evidence"), *rows):
        print(f"{promise:{width}}  {verdict:9}  {evidence}".rstrip())
    broken = [promise for promise, verdict, _ in rows if verdict == "broken"]
    if broken:
        raise AssertionError(f"broken promises: {', '.join(broken)}")
    idle = [promise for promise, verdict, _ in rows if verdict == "not asked"]
    if len(idle) > len(rows) / 2:
        raise ValueError(
            f"{len(idle)} of {len(rows)} promises could not be asked: {', '.join(idle)}; the table says why"
        )


def _required(subject, real, takes):
    """The masks that the model requires in addition to its inputs, {name: mask}, with every token real."""
    missing = [n for i, n in enumerate(subject.required) if i not in subject.values and n not in subject.values]
    names = [n for n in missing if n in takes] if real is None else [n for n in missing[:1] if n not in PASTS]
    every = torch.ones(subject.B, subject.T, dtype=torch.bool, device=subject.device)
    return {n: MASKS.get(n, MASKS["real"])(every) for n in names}


def _paddings(subject, real, takes_mask, takes_positions):
    """Return (side, real) for each side on which padding is tested."""
    if real is not None:
        return [("left" if not real[:, 0].all() else "right", real)]
    if not takes_mask or subject.T < 4:
        return []
    lengths = torch.tensor([[subject.T - 2 * (item % 2)] for item in range(subject.B)])
    right = torch.arange(subject.T) < (lengths if subject.B > 1 else lengths - 2)
    right = right.to(subject.device)
    return [("right", right)] + ([("left", right.flip(1))] if takes_positions else [])
