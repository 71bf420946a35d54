"""The command line as a whole: exit codes, complaints of one line, and what an import loads."""

import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import epochal
from epochal.cli import main

COMMANDS = (
    *("demo", "index", "search", "run", "export", "import", "delete", "compact", "backup", "check"),
    *("when", "calendars", "tag", "eval-tags", "understand"),
)
LABORATORY = ("bench", "eval", "eval-tags", "train")
#: A command line for each kind of mistake, and what the complaint says.
MISTAKES = {
    "no command": ([], "epochal: the following arguments are required: COMMAND; see epochal --help"),
    "unknown command": (["whence"], "epochal: no command is called 'whence'; did you mean epochal when;"),
    "unknown option": (["demo", "--loud"], "epochal: unrecognized arguments: --loud; see epochal demo --help"),
    "no expression": (["when"], "epochal when: the following arguments are required: EXPR; see epochal when --help"),
    "option without value": (["when", "2004", "--now"], "epochal when: argument --now: expected one argument"),
    "unknown calendar": (["when", "2004", "--calendar", "klingon"], "epochal: no calendar is called 'klingon'"),
    "unknown target": (["when", "2004", "--to", "klingon"], "epochal: no calendar is called 'klingon'"),
    "unknown target in JSON": (["when", "2004", "--to", "klingon", "--json"], "no calendar is called 'klingon'"),
    "unreadable expression": (["when", "soonish"], "epochal: 'soonish' is not a time in any calendar; accepted: EDTF"),
    "empty expression": (["when", ""], "epochal: '' is not a time in any calendar"),
    "line breaks": (["when", "a\nb"], r"epochal: 'a\nb' is not a time in any calendar"),
    "not in the calendar": (["when", "soonish", "--calendar", "lu"], "'soonish' is not a date of the calendar 'lu'"),
    "year out of range": (["when", "隱公十二年"], "is not a time in any calendar (魯隱公 has no year 12;"),
    "bad now": (["when", "2004", "--now", "soon"], "epochal: 'soon' is not a time; accepted: ISO 8601 and EDTF"),
    "now without end": (["when", "last year", "--now", "1985/.."], "epochal: the present, 1985/.., has no end"),
    "bad zone": (["when", "2004", "--tz", "Mars/Olympus"], "epochal: --tz 'Mars/Olympus' is not a time zone; accepted"),
    "a folder of zones": (["when", "2004", "--tz", "Europe"], "epochal: --tz 'Europe' is not a time zone; accepted"),
    "a path as zone": (["when", "2004", "--tz", "../etc"], "epochal: --tz '../etc' is not a time zone; accepted"),
    "no such table": (["when", "2004", "--table", "none.toml"], "epochal: none.toml, line 1: cannot be read"),
    "a bad table": (["when", "2004", "--table", "{bad}"], "line 5: [calendar] has an unknown key 'yeras'"),
    "no table to check": (["calendars", "--check", "none.toml"], "epochal: none.toml, line 1: cannot be read as UTF-8"),
    "a bad table to check": (["calendars", "--check", "{bad}"], "line 5: [calendar] has an unknown key 'yeras'"),
    "broken TOML": (["calendars", "--check", "{broken}"], "line 2: not valid TOML"),
    "beyond the axis": (["when", "Y146000000001"], "epochal: "),
}  # fmt: skip


def run(*arguments: str, **how) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **how)


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_are_one_line_and_exit_2(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bad, broken = tmp_path / "bad.toml", tmp_path / "broken.toml"
    bad.write_text('# mine\n[calendar]\nname = "mine"\ntitle = "Mine"\nyeras = "civil"\n', encoding="utf-8")
    broken.write_text("[calendar]\nname = = 3\n", encoding="utf-8")
    arguments, complaint = MISTAKES[kind]
    arguments = [argument.format(bad=bad, broken=broken) if "{" in argument else argument for argument in arguments]
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    output = capsys.readouterr()
    assert code == 2
    assert output.out == ""
    assert output.err.endswith("\n")
    assert output.err.count("\n") == 1
    assert output.err.startswith("epochal")
    assert complaint in output.err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([*command.split(), "--help"])
    output = capsys.readouterr()
    assert end.value.code == 0
    assert output.out.startswith("usage: epochal")
    assert output.err == ""


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"calendars"}))
def test_the_help_of_a_command_has_a_sentence_and_an_example(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    output = capsys.readouterr().out
    assert re.search(r"^[A-Z][^\n]*(?:\n[^\n]+)*\.$", output, re.MULTILINE)
    assert f"epochal {command}" in output.partition("example")[2]


def test_every_command_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    output = capsys.readouterr().out
    assert all(re.search(rf"^    {name}\b", output, re.MULTILINE) for name in COMMANDS)


def test_commands_of_the_laboratory_are_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    output = capsys.readouterr().out
    assert all(re.search(rf"^    {name}\s", output, re.MULTILINE) for name in LABORATORY)
    assert "pip install epochal-lab" not in output


@pytest.fixture
def engine_alone(monkeypatch):
    """As where the laboratory is not installed: no package offers anything."""
    monkeypatch.setattr("epochal.cli.entry_points", lambda group: ())


@pytest.mark.parametrize("words", [[name, *rest] for name in LABORATORY for rest in ([], ["--help"], ["list", "-k"])])
def test_without_the_laboratory_its_commands_say_so(words, engine_alone, capsys):
    assert main(words) == 2
    assert capsys.readouterr() == (
        "",
        f"epochal: {words[0]!r} is a command of the laboratory, which is not installed; "
        "to install it: pip install epochal-lab\n",
    )


def test_without_the_laboratory_the_help_says_how_to_get_it(engine_alone, capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    output = capsys.readouterr().out
    for name in LABORATORY:
        assert re.search(rf"^    {name}\s+a command of the laboratory: pip install epochal-lab$", output, re.MULTILINE)


def test_a_package_offers_a_command(monkeypatch, capsys):
    def add(commands):
        commands.add_parser("whence").set_defaults(run=lambda arguments: print("from here") or 0)

    points = [EntryPoint(name, "nowhere:add", "epochal.commands") for name in ("whence", "when")]
    monkeypatch.setattr("epochal.cli.entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", lambda point: add)
    assert main(["whence"]) == 0
    assert capsys.readouterr().out == "from here\n"
    with pytest.raises(SystemExit):
        main(["when", "--help"])
    assert "EXPR" in capsys.readouterr().out  # the engine's own name cannot be taken


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"epochal {epochal.__version__}\n"


def test_python_m_epochal():
    done = run("-m", "epochal", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"epochal {epochal.__version__}\n", "")
    done = run("-m", "epochal", "when", "soonish")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


# ---------------------------------------------------------------- what an import loads


def test_importing_epochal_loads_next_to_nothing():
    done = run(
        "-c",
        "import sys, epochal\n"
        "print(sorted({'numpy', 'convertdate', 'tomllib', 'argparse', 'epochal.times'} & set(sys.modules)))",
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_command_line_loads_no_calendar_before_it_must():
    done = run(
        "-c",
        "import sys\nfrom epochal.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'rich', 'sqlite3', 'onnxruntime', 'convertdate', 'epochal.times'} & set(sys.modules)))",
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_search_loads_nothing_of_the_laboratory(news):
    done = run(
        "-c",
        "import sys\nfrom epochal.cli import main\nmain(['search', sys.argv[1], 'tariffs in 1998', '--now', '2004'])\n"
        "print([name for name in sys.modules if name.startswith('epochal_lab')])",
        str(news),
    )
    assert (done.stdout.splitlines()[-1], done.stderr) == ("[]", "")


def test_reading_a_regnal_date_needs_no_convertdate():
    done = run(
        "-c",
        "import sys\nfrom epochal.times.calendars.regnal import RegnalCalendar\n"
        "lu = RegnalCalendar.load('lu.toml')\nprint(lu.key(lu.parse('隱公元年正月')[0]), 'convertdate' in sys.modules)",
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert (done.stdout, done.stderr) == ("1-1-1 False\n", "")


# ---------------------------------------------------------------- pipes and encodings


@pytest.mark.parametrize(
    "arguments",
    [["calendars", "--places"], ["when", "永和元年", "--now", "2026"], ["--help"]],
    ids=lambda arguments: arguments[0],
)
def test_a_reader_that_has_gone_away(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [sys.executable, "-m", "epochal", *arguments]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="there is no head on Windows")
def test_a_pipe_to_head():
    process = subprocess.Popen(
        [sys.executable, "-m", "epochal", "calendars", "--places"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True, check=True)
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert complaint == b""
    assert head.stdout.startswith(b"gregorian")


def test_an_output_that_holds_no_chinese_gets_escapes():
    done = run(
        "-m", "epochal", "when", "Meiji 10", "--now", "2026", "--to", "gregorian",
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == r"\u660e\u6cbb\u5341\u5e74  [nengo]"
