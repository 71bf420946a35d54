"""Which lines the README must have for each result under benchmarks/results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from readme_figures.answers import answers_lines
from readme_figures.backends import (
    backend_parity_lines,
    postgres_windows_lines,
    ray_ingest_lines,
    scale_model_lines,
)
from readme_figures.costs import (
    align_cost_lines,
    encoder_speed_lines,
    growth_lines,
    import_time_lines,
    ingest_cost_lines,
    narrow_windows_lines,
    nested_search_lines,
    search_cost_lines,
    span_lookup_lines,
    tagger_speed_lines,
)
from readme_figures.learned import (
    annals_encoder_lines,
    ctd_combination_lines,
    ctd_retrieval_lines,
    ctd_search_lines,
    re3_latency_lines,
    re3_retrieval_lines,
    re3_times_lines,
)
from readme_figures.reading import (
    chinese_reading_lines,
    judge_agreement_lines,
    tagger_quality_lines,
    tempo_annotations_lines,
    understanding_lines,
)
from readme_figures.retrieval import (
    annals_retrieval_lines,
    augmentation_lines,
    encoder_quality_lines,
    made_sets_lines,
    temporal_retrieval_lines,
)
from readme_figures.service import page_paint_lines, service_fuzz_lines, service_load_lines
from readme_figures.tmrl import tmrl_engine_lines, tmrl_loader_lines, tmrl_retrieval_lines, tmrl_speed_lines
from readme_figures.tmrl_reasons import tmrl_reasons_lines, tmrl_shares_lines

__all__ = ["FIGURES"]

FIGURES: Final[dict[str, Callable[[dict[str, Any]], list[str]]]] = {
    "re3_retrieval": re3_retrieval_lines,
    "re3_latency": re3_latency_lines,
    "re3_times": re3_times_lines,
    "ctd_search": ctd_search_lines,
    "ctd_retrieval": ctd_retrieval_lines,
    "annals_encoder": annals_encoder_lines,
    "align_cost": align_cost_lines,
    "span_lookup": span_lookup_lines,
    "import_time": import_time_lines,
    "tagger_quality": tagger_quality_lines,
    "tagger_speed": tagger_speed_lines,
    "understanding": understanding_lines,
    "chinese_reading": chinese_reading_lines,
    "temporal_retrieval": temporal_retrieval_lines,
    "annals_retrieval": annals_retrieval_lines,
    "encoder_quality": encoder_quality_lines,
    "encoder_speed": encoder_speed_lines,
    "narrow_windows": narrow_windows_lines,
    "search_cost": search_cost_lines,
    "ingest_cost": ingest_cost_lines,
    "growth": growth_lines,
    "nested_search": nested_search_lines,
    "judge_agreement": judge_agreement_lines,
    "made_sets": made_sets_lines,
    "augmentation": augmentation_lines,
    "tempo_annotations": tempo_annotations_lines,
    "ctd_combination": ctd_combination_lines,
    "tmrl_retrieval": tmrl_retrieval_lines,
    "tmrl_reasons": tmrl_reasons_lines,
    "tmrl_shares": tmrl_shares_lines,
    "tmrl_speed": tmrl_speed_lines,
    "tmrl_loader": tmrl_loader_lines,
    "tmrl_engine": tmrl_engine_lines,
    "answers": answers_lines,
    "service_fuzz": service_fuzz_lines,
    "service_load": service_load_lines,
    "page_paint": page_paint_lines,
    "backend_parity": backend_parity_lines,
    "postgres_windows": postgres_windows_lines,
    "ray_ingest": ray_ingest_lines,
    "scale_model": scale_model_lines,
}
