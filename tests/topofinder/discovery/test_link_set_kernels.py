"""Counts of sets of links, packed and summed, against sums over all subsets one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topofinder.discovery.grafts.state import link_scale
from topofinder.discovery.link_set_kernels import (
    busiest_load,
    clear_counts,
    count_word,
    packed_words,
)
from topofinder.kernels import kernel


@kernel
def load_of(own, counts, scale):  # type: ignore[no-untyped-def]
    fields = clear_counts(counts)
    for links in range(len(own)):
        fields[links] = own[links]
    return busiest_load(counts, scale)


@kernel
def count_words(words, fields):  # type: ignore[no-untyped-def]
    a, b, c, d = words[0], words[1], words[2], words[3]
    count_word(a, b, c, d, words[4], words[5], words[6], words[7], fields)


WORDS = st.lists(st.integers(0, 2**64 - 1), min_size=8, max_size=8)


@pytest.mark.parametrize("d", range(1, 11))
@pytest.mark.parametrize("most", [2, 60])
def test_the_busiest_link_is_that_of_all_subsets(d: int, most: int) -> None:
    random = np.random.default_rng([d, most])
    own = random.integers(most, size=1 << d)
    scale = link_scale(d)
    wanted = max(
        int(scale[links]) * sum(int(own[part]) for part in range(1 << d) if part & ~links == 0)
        for links in range(1 << d)
    )
    assert load_of(own, np.zeros(packed_words(d), np.uint64), scale) == wanted


@given(WORDS)
def test_shards_are_counted_by_the_links_that_bring_them(words: list[int]) -> None:
    wanted = np.zeros(256, np.int64)
    for shard in range(64):
        wanted[sum((word >> shard & 1) << link for link, word in enumerate(words))] += 1
    fields = np.zeros(256, np.uint16)
    count_words(np.array(words, np.uint64), fields)
    assert np.array_equal(fields, wanted)
