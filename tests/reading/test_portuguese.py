"""Portuguese sentences, each with the values that are read in it, for a text of Tuesday 14 May 2024."""

from __future__ import annotations

import pytest

from epochal.reading import tag
from epochal.reading.questions import understand
from epochal.reading.shared.detect import detect_language
from epochal.times.span import Span

_NOW = Span.parse("2024-05-14")
_SENTENCES = """
A reunião será em 14 de maio de 2024 às 15h30. | 2024-05-14 2024-05-14T15:30
Há dois anos mudou-se para Lisboa. | 2022
Viveu no século XVIII. | 17
Ontem choveu, amanhã fará sol. | 2024-05-13 2024-05-15
Chegou anteontem e parte depois de amanhã. | 2024-05-12 2024-05-16
Nasceu no primeiro de janeiro de 1950. | 1950-01-01
Os anos 20 foram loucos. | 192
A década de 1960 mudou tudo. | 196
César morreu em 44 a.C. em Roma. | BC0044
Foi embora três dias atrás. | 2024-05-11
Volta daqui a quinze dias. | 2024-05-29
Estaremos fora de 3 a 5 de maio de 2025. | 2025-05-03/2025-05-05
Trabalhou lá de março até junho de 2023. | 2023-03/2023-06
Viveu lá entre 1914 e 1918. | 1914 1918
A loja abre das 9h às 18h. | 2024-05-14T09/2024-05-14T18
Chegará na segunda-feira que vem. | 2024-05-20
A reunião será na sexta, às 15h00. | 2024-05-17 2024-05-17T15:00
Veio na semana passada. | 2024-W19
Veio no verão passado. | 2023-SU
O museu reabrirá em meados de junho. | 2024-06
O relatório sairá no fim de 2025. | 2025
No terceiro trimestre de 2018 as vendas subiram. | 2018-Q3
A reunião durou duas horas e meia. | PT2H30M
Liga a cada dois dias. | P2D
Sai todos os meses. | P1M
Veio ontem à noite. | 2024-05-13TNI
Esta manhã nevou. | 2024-05-14TMO
Encontramo-nos às três e meia da tarde. | T15:30
Almoçamos ao meio-dia. | T12
Virá no Natal. | 2024-12-25
Morreu em 6 de junho de 1944. Dois dias depois soube-se. | 1944-06-06 1944-06-08
Dez anos depois de 1968 voltou. | 1978
Em maio do ano passado casou-se. | 2023-05
Em trinta e um de dezembro de 2020 nevou. | 2020-12-31
Na segunda semana de outubro de 2020 choveu. | 2020-W41
Na primeira metade do século XIX emigraram. | 1800/1849
Nos últimos dez anos cresceu. | P10Y
No ano que vem haverá eleições. | 2025
O contrato termina em 31/12/2025. | 2025-12-31
Vendeu tudo em março de 1848. | 1848-03
No quarto trimestre de 2018 caiu. | 2018-Q4
Estará fora novembro 19-20. | 2024-11-19/2024-11-20
Vive lá desde há três meses. | P3M
O tribunal decidiu na quarta-feira, 3 de abril de 2024. | 2024-04-03
O prazo termina no dia 30 do mês que vem. | 2024-06-30
A gente se vê na quinta às cinco e meia da tarde. | 2024-05-16 2024-05-16T17:30
Amanhã de manhã haverá nevoeiro. | 2024-05-15TMO
A guerra durou quase três anos. | P3Y
Em meados do século XIX chegou o comboio. | 18
Nos anos trinta emigrou para o Brasil. | 193
A empresa fechou o terceiro trimestre de 2021 com lucro. | 2021-Q3
Fecha aos domingos. | XXXX-WXX-7
Eram doze e um quarto. | T12:15
A semana de 10 de junho será longa. | 2024-W24
Há um mês mudou de casa. | 2024-04
A primeira quinzena de julho está lotada. | 2024-07-01/2024-07-15
Na terça-feira passada o ministro demitiu-se. | 2024-05-07
Quatro dias antes do Natal nevou. | 2023-12-21
Neste verão iremos à praia. | 2024-SU
Passou um quarto de hora e ninguém veio. | PT15M
Trabalha oito horas por dia. | PT8H P1D
O voo TP 1680 parte às 21h05. | T21:05
A reunião das 9h30 passou para quinta-feira. | T09:30 2024-05-16
O festival será de sexta-feira 28 a domingo 30 de junho. | 2024-06-28/2024-06-30
Deixou o Brasil em 1964 e voltou dez anos depois. | 1964 1974
As obras vão durar até março de 2026. | 2026-03
O decreto de 12 do mês passado foi revogado. | 2024-04-12
No próximo fim de semana fará calor. | 2024-W21-WE
De quatro em quatro horas toma um comprimido. | PT4H
Nos últimos seis meses os preços caíram. | P6M
Na última quinta-feira do mês o museu é grátis. | 2024-05-30
No final de agosto partem as andorinhas. | 2024-08
Ligo daqui a uma hora e meia. | 2024-05-14T01:30
Todas as terças e quintas há aula. | XXXX-WXX-2 XXXX-WXX-4
O tratado foi assinado em catorze de julho de mil novecentos e trinta e seis. | 1936-07-14
Os dias 3 e 4 de junho serão livres. | 2024-06-03 2024-06-04
Isso foi anos atrás. | PAST_REF
Durou um ano e meio. | P1Y6M
"""
#: Sentences in which nothing is a time.
_TIMELESS = """
O carro custa 2000 euros.
Uma mulher de 80 anos ficou ferida.
Morreu com a idade de 80 anos.
Segundo Ana Reis, 32 anos, está tudo bem.
O mar está calmo.
Come uma laranja e bebe chá.
A sala 1905 está fechada.
Ganhou por 3 a 2 contra o Porto.
Saiu a versão 8.2.5043.
A segunda pergunta é difícil.
Subiu 3.8 por cento.
Falta a página 32 do tomo 4.
Ganharam por 4 a 1 na prorrogação.
A segunda parte do jogo foi melhor.
Notícias de última hora.
Tirou 15 em 20.
Em 40% dos casos funciona.
Em 40 por cento dos casos funciona.
Pegue a linha 13 e depois o ônibus 62.
Mora no 21 da rua Direita.
O 10 da seleção marcou.
Ficou em segundo lugar.
Um segundo golo anulado.
Ganhou 6-4, 7-5.
São três irmãs.
São dez para cada um.
O artigo 5 do código.
Pesa 82 quilos.
Os 20 melhores alunos.
O resto da equipa chegou.
A quinta tentativa falhou.
A segunda e a terceira falharam.
Comprou duas mil ações.
Foi em 45 países.
"""


@pytest.mark.parametrize("row", _SENTENCES.strip().splitlines())
def test_the_times_of_a_sentence_are_read(row: str) -> None:
    text, _, values = row.rpartition(" | ")
    assert [item.value for item in tag(text, _NOW, lang="pt")] == values.split()


@pytest.mark.parametrize("text", _TIMELESS.strip().splitlines())
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [item.text for item in tag(text, _NOW, lang="pt")] == []


def test_most_sentences_are_detected_as_portuguese() -> None:
    texts = [row.rpartition(" | ")[0] for row in _SENTENCES.strip().splitlines()]
    assert sum(detect_language(text).code == "pt" for text in texts) >= 0.9 * len(texts)


def test_a_question_gets_its_window() -> None:
    assert [period.edtf() for period in understand("O que aconteceu em maio de 2003?", _NOW).periods] == ["2003-05"]
