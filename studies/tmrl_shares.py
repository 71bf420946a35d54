"""How much of which adapters should be added: what do questions of a time gain, and what does plain search lose?

    python studies/tmrl_shares.py --train PARTS --adapters one=DIR two=DIR --mixtures 'one .3, two .3' --sets tnp
    python studies/tmrl_shares.py --parts PARTS...

An adapter that is added in part costs less of plain search, and so do several of which each adds its share. The first
command measures mixtures of adapters over MiniLM by vectors alone, on a GPU where there is one, and leaves a file in
the folder PARTS for each; the second makes the result of such files. PARTS of the encoder as it was are those of
tmrl_reasons.py.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from _record import save, skip
from _tmrl_models import (
    SEED,
    Groups,
    Key,
    Part,
    build_rows,
    describe_sets,
    find_zero_shot,
    group_parts,
    measure_network,
    write_part,
)

BACKBONE, MIXED = "minilm", "mixed"


def parse_mixture(text: str, adapters: dict[str, Path]) -> dict[str, float]:
    """Parse a mixture such as 'one .3, several .3' to the share of each adapter."""
    result: dict[str, float] = {}
    for one in text.split(","):
        name, _, share = one.strip().rpartition(" ")
        try:
            result[name] = float(share)
        except ValueError:
            raise SystemExit(f"{one.strip()!r} is no name and share; accepted: such as 'one .5'") from None
        if name not in adapters:
            raise SystemExit(f"no adapter is called {name!r}; known: {', '.join(adapters)}")
    return result


def mix_adapters(arguments: argparse.Namespace) -> None:
    """Measure mixtures, and write a part for each."""
    from epochal_lab.models.tmrl.adapter import load_adapter, merge_adapters
    from epochal_lab.models.tmrl.evaluate import read_beir
    from epochal_lab.models.tmrl.network import build_network
    from epochal_lab.models.tmrl.running import load_bundled_backbone
    from epochal_lab.models.tmrl.settings import TMRLSettings
    from epochal_lab.models.training.device import select_device

    adapters = {name: Path(folder) for name, _, folder in (one.partition("=") for one in arguments.adapters)}
    mixtures = {text: parse_mixture(text, adapters) for text in arguments.mixtures}
    sets = [read_beir(folder) for folder in arguments.sets]
    arguments.train.mkdir(parents=True, exist_ok=True)
    for text, shares in mixtures.items():
        backbone = load_bundled_backbone()
        with tempfile.TemporaryDirectory() as folder:
            merge_adapters(Path(folder), [adapters[name] for name in shares], list(shares.values()))
            load_adapter(folder, backbone)
        network = build_network(backbone, TMRLSettings.from_name("zero-shot")).to(select_device("auto")).eval()
        part: Part = {
            "backbone": BACKBONE,
            "rows": MIXED,
            "model": text,
            "seed": 0,
            "shares": shares,
            "sets": measure_network(network, sets, arguments.precision, text),
        }
        write_part(arguments.train / f"{BACKBONE}.{text.replace(', ', '+').replace(' ', '_')}", part)


def collect_results(folders: list[Path]) -> None:
    """Write the result of parts: each mixture compared with the original encoder."""
    groups = group_parts(folders)
    mixtures = [key for key in groups if key[1] == MIXED]
    save(
        "tmrl_shares",
        "How much of which adapters should be added: what do questions of a time gain, what does plain search lose?",
        "adapters of tmrl_reasons over MiniLM; half of TNP's test questions, passages of TimeQA and SciFact, by "
        "vectors alone; bounds are over questions",
        SEED,
        [row for key in mixtures for row in build_rows(key, groups, find_rivals)],
        sets=describe_sets(groups),
        mixtures={key[2]: groups[key][0]["shares"] for key in mixtures},
    )


def find_rivals(key: Key, name: str, groups: Groups) -> dict[str, tuple[list[Part], list[Part]]]:
    """Return the original encoder, on every set."""
    before = find_zero_shot(key, groups)
    return {"zero-shot": (groups[key], before)} if before else {}


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path)
    parser.add_argument("--parts", type=Path, nargs="+")
    parser.add_argument("--adapters", nargs="+", default=[], help="NAME=FOLDER")
    parser.add_argument("--mixtures", nargs="+", default=[], help="names and shares, such as 'one .3, several .3'")
    parser.add_argument("--sets", type=Path, nargs="+", default=[])
    parser.add_argument("--precision", default="bf16")
    arguments = parser.parse_args(words)
    if arguments.parts:
        collect_results(arguments.parts)
    elif arguments.train and arguments.mixtures:
        mix_adapters(arguments)
    else:
        skip("give a folder with --train and mixtures, or folders of parts with --parts")


if __name__ == "__main__":
    main()
