"""Ranking and recommendation are pure functions over measurements."""

from __future__ import annotations

from tensorcopy.benchmarking.deciding import granting, ranked, recommend, unrest
from tensorcopy.benchmarking.measurements import Status, Timing, timing_of
from tensorcopy.benchmarking.wishes import Wishes

from .made_up import refused, timing, way

OWN = Wishes(memory="copies")


def codes(measurements):
    return [m.code for m in measurements]


def test_the_fastest_that_grants_the_wishes_is_recommended_with_the_reason():
    found = recommend([way("slow", 9), way("fast", 1), way("alias", 0.1, memory="shares")], OWN)
    assert found.chosen.code == "fast"
    assert found.reason == "because it owns its memory, and is the fastest of 2 that do"


def test_the_reason_names_every_wish():
    wishes = Wishes(memory="copies", graph="keeps", dtype="float16")
    found = recommend([way(code, 1, graph="keeps", dtype="float16") for code in ("a", "bc")], wishes)
    assert found.reason == (
        "because it owns its memory, keeps the graph, gives float16, "
        "and no other of the 2 that do is measurably faster (too close to call: bc)"
    )


def test_without_a_wish_the_reason_says_what_memory_and_graph_do():
    found = recommend([way("a", 1, memory="shares", graph="cuts"), way("b", 2)], Wishes())
    assert found.reason == (
        "because it shares memory, so that a write through one shows in the other, cuts the graph, "
        "and is the fastest of 2 that do"
    )


def test_a_wrong_way_is_never_recommended_however_fast():
    found = recommend([way("wrong", 0.1, wrong=("1 becomes 2",)), way("right", 5)], OWN)
    assert found.chosen.code == "right"
    assert found.reason.endswith("is the only one that does")


def test_a_way_with_a_caution_is_recommended_only_where_no_other_is_left():
    careful = way("careful", 1, cautions=("changes x itself",))
    assert recommend([careful, way("plain", 5)], OWN).chosen.code == "plain"
    assert recommend([careful, refused("plain")], OWN).reason.endswith("Mind: changes x itself")


def test_ways_whose_spreads_meet_are_too_close_to_call():
    found = recommend(
        [way("long_name", 1.00, timing=timing(1.00, 0.1)), way("short", 1.05, timing=timing(1.05, 0.1))], OWN
    )
    assert found.chosen.code == "short"
    assert codes(found.tied) == ["long_name"]
    assert found.reason.endswith("no other of the 2 that do is measurably faster (too close to call: long_name)")


def test_more_than_two_that_are_too_close_are_counted():
    found = recommend([way("a" * k, 1) for k in range(1, 6)], OWN)
    assert found.reason.endswith("(too close to call: aa, aaa and 2 more)")
    found = recommend([way(code, 1) for code in ("a", "aa", "aaa", "aaaa")], OWN)
    assert found.reason.endswith("(too close to call: aa, aaa and 1 more)")


def test_a_way_that_spreads_widely_does_not_win_by_a_short_name():
    noisy = way("z", timing=timing(1.2, 9.0))
    found = recommend([noisy, way("long_name", timing=timing(1.0, 0.3))], OWN)
    assert (found.chosen.code, codes(found.tied)) == ("long_name", ["z"])


def test_few_rounds_have_to_be_further_apart():
    def told(rounds):
        first, second = (Timing(seconds=s, quarter=s * 1.1, median=s * 1.5, rounds=rounds) for s in (1.0, 1.3))
        return first.overlaps(second)

    assert (told(3), told(9)) == (True, False)


def test_one_round_each_is_too_close_to_call_unless_one_took_twice_as_long():
    assert timing_of([1.0]).overlaps(timing_of([1.9]))
    assert not timing_of([1.0]).overlaps(timing_of([2.1]))


def test_plain_torch_is_preferred_to_tensorcopy_where_it_is_too_close_to_call():
    assert recommend([way("tc", 1, ours=True), way("x.clone()", 1)], OWN).chosen.code == "x.clone()"
    assert recommend([way("tc", 1, ours=True), way("x.clone()", 2)], OWN).chosen.code == "tc"


def test_where_nothing_grants_the_wishes_there_is_no_recommendation_and_the_reason_counts():
    found = recommend([way("a", memory="shares"), way("b", wrong=("no",)), refused("c")], OWN)
    assert found.chosen is None
    assert (
        found.reason
        == "none of the 3 ways owns its memory here: 1 refused or not run, 1 silently wrong, 1 right but not so"
    )


def test_nothing_measured_gives_no_recommendation():
    assert recommend([], Wishes()).chosen is None


def test_the_shortest_line_is_taken_where_nothing_was_timed():
    found = recommend([way("long_name", None), way("short", None)], OWN)
    assert (found.chosen.code, found.reason.split("and ")[-1]) == (
        "short",
        "is the shortest of 2 that do; none was timed",
    )


def test_ranking_goes_from_what_was_asked_for_to_what_was_not_run():
    some = [
        refused("not run", Status.NOT_RUN),
        refused("refused"),
        way("wrong", 1, wrong=("no",)),
        way("other", 1, memory="shares"),
        way("careful", 1, cautions=("mind",)),
        way("slow", 5),
        way("fast", 2),
    ]
    assert codes(ranked(some, OWN)) == ["fast", "slow", "careful", "other", "wrong", "refused", "not run"]
    assert codes(granting(some, OWN)) == ["careful", "slow", "fast"]


def test_a_source_without_bytes_or_graph_grants_every_wish_about_them():
    assert Wishes(memory="copies", graph="cuts").missing(way("a", memory="", graph="")) == ()


def test_a_timing_is_the_fastest_round_with_quartile_and_median():
    assert timing_of([5.0, 1.0, 3.0, 2.0, 4.0]) == Timing(seconds=1.0, quarter=2.0, median=3.0, rounds=5)
    assert timing_of([7.0]) == Timing(seconds=7.0, quarter=7.0, median=7.0, rounds=1)
    assert not timing_of([7.0, 8.0]).has_spread


def test_unrest_is_how_far_the_median_of_the_ways_is_from_their_fastest_rounds():
    calm, busy = way("a", timing=timing(1.0, 0.05)), way("b", timing=timing(1.0, 4.0))
    assert (unrest([calm, way("c", None)]), unrest([calm, busy, busy]), unrest([])) == (1.1, 9.0, 1.0)
