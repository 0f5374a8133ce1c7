"""The numbers of the choice that were fitted on pages.

The set is the same for all: the 1,487 development pages of WCXB with text and 150 news pages, in
five folds by site; each page is read by models that have not seen its site, and judged by word F1
and four-word shingles for each kind of page. The day is that of the last measurement with and
without the step; on 18 November 2026 it was on two folds, 709 pages.
"""

from typing import Final

# 18 November 2026. From this chance of an article on, foreign text is dropped; a lower one hurts
# lists.
LIKELY_ARTICLE_CHANCE: Final = 0.6
# 19 November 2026. From this chance of an article or a manual on, a list beside paragraphs needs
# less.
RATHER_TEXT_CHANCE: Final = 0.3
# Up to 17 November 2026. From here on, a page is narrowed like an article: teasers around an
# article make it look like a listing.
MAYBE_ARTICLE_CHANCE: Final = 0.1
# 18 November 2026. On pages with lists, missed text weighs more than surplus text.
KIND_RECALL: Final = {
    "collection": 1.25, "documentation": 1.2, "forum": 1.1, "listing": 1.25, "service": 1.35,
}  # fmt: skip
# Up to 17 November 2026. A box with most of an article bounds it.
MIN_ARTICLE_BOX_SHARE: Final = 0.9
# 18 November 2026. Long, nearly certain text outside stays, before the box from a lower chance on.
CERTAIN_CHANCE: Final = 0.8
CERTAIN_CHANCE_BEFORE: Final = 0.7
MIN_CERTAIN_WORDS: Final = 15
# 18 November 2026. Keep a heading above kept text; keep a list of short items between kept text,
# also a table with a caption between. The threshold rises with certain paragraphs, so cap it.
MIN_HEADING_CHANCE: Final = 0.12
MAX_LIST_THRESHOLD: Final = 0.15
MAX_ITEM_WORDS: Final = 30
TABLE_REACH_RUNS: Final = 3
# 19 November 2026. What may stand between a list and kept text, the share of a list to keep all of
# it for, and the share of its runs that may be links, or headings, as those of cards are.
MAX_LABEL_WORDS: Final = 6
MAX_LIST_REACH_RUNS: Final = 40
MIN_KEPT_LIST_SHARE: Final = 0.333
MAX_LINKED_ITEMS_SHARE: Final = 0.5
MAX_HEADED_ITEMS_SHARE: Final = 0.25
# The small boxes of one make that are a list without a tag for it.
MIN_SERIES_ITEMS: Final = 3
MAX_SERIES_ITEM_WORDS: Final = 15
MAX_ITEM_RUNS: Final = 4
# 18 November 2026. A page without posts is a forum only where it is sure. Where the rules keep less
# of a page, the model alone chooses.
SURE_FORUM_CHANCE: Final = 0.6
MIN_KEPT_SHARE: Final = 0.02
# Up to 17 November 2026. A low bar would be wrong: blogs also call their entries posts.
MIN_FORUM_CHANCE: Final = 0.3
# Up to 17 November 2026. Halve the chance of runs under "Related", except in tables: the trees were
# trained on many such headings inside the content.
RELATED_WEIGHT: Final = 0.5
# Up to 17 November 2026. From so many runs of one make on, draw each chance halfway to their mean,
# so that all cards are kept or none; a run below the impossible chance stays as it is.
MIN_MAKE_RUNS: Final = 3
MAKE_WEIGHT: Final = 0.5
IMPOSSIBLE_CHANCE: Final = 0.05
# Up to 17 November 2026. A dropped run is doubtful from this share of the threshold on. In an
# encyclopedia the notes are references and longer than the text.
NEAR_THRESHOLD_SHARE: Final = 0.4
MAX_NOTES_SHARE: Final = 0.2
# Up to 17 November 2026. On a large page, score every fourth run of a make with many runs, such as
# the names on cards, or 16 of very many, and those in between only where the two chances differ.
MIN_SAMPLED_RUNS: Final = 300
MIN_STRETCH_RUNS: Final = 8
MIN_SAMPLE_STEP: Final = 4
MAX_MAKE_SAMPLES: Final = 16
MAX_CHANCE_DIFFERENCE: Final = 0.05
# 19 November 2026. From this chance of a product, a collection or a listing on, a page sells.
MIN_SHOP_CHANCE: Final = 0.3
