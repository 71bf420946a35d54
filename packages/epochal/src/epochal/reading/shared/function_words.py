"""Frequent words by which languages are told apart: those that a tagger covers, and those that are only reported."""

from __future__ import annotations

__all__ = ["FUNCTION_WORDS", "LANGUAGE_NAMES"]

LANGUAGE_NAMES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sr": "Serbian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

#: The frequent words of each language, without those of one letter that many share.
FUNCTION_WORDS = {
    "en": """
    the of and to in is was for on that with as it at by from be are this were or an his had not have which has they
    but he she you we will their its been who would there all about when what how did does after before since until
    between said new more one two can me my your our us let into than then them these those over if so up out just
    also only no do going should could meeting please signs says killed dies against during first people him her
    other some any because while under most now time come came go get got day night today school good like see know
    back want need make made
    """,
    "de": """
    der die das den dem des und ist nicht ein eine einen einem einer mit sich auf für von im zu auch als nach wie
    bei aus er sie es wir ich ihr wird wurde war sind hat haben habe werden über noch nur aber oder wenn kann um zum
    zur durch vor bis sehr schon beim seit wegen sein seine keine unter diese dieser dieses uns vom am bin bist lass
    gegen etwa ungefähr so spätestens lebte blühte brach kam ging gab ins bitte treffen wann wer was wo warum welche
    welcher ab binnen innerhalb mehr
    """,
    "fr": """
    le la les des du de un une et est dans pour que qui sur avec pas par au aux ce cette ces il elle on nous vous ils
    sont été était à en se ne plus mais ou où son sa ses leur leurs comme tout fait être avoir ont dès depuis avant
    après pendant chez vers sans sous entre je ai suis aura sera lieu quand quel quelle jusqu jusque qu vais va vont
    serai reviendrai sortir rendez voit cela aussi peut cet deux avait lors selon dont eux ça seront moi toi lui tous
    toutes avez avons ceux celui aucun même bien trois autres autre très notre votre contre faire dit ainsi encore
    jours ans si quelques bonjour merci toujours jamais donc puis chaque elles nos vos cours prochain prochaine mise
    """,
    "es": """
    el la los las de del en que un una es se por con para su al lo como más pero sus le ya este sí porque esta entre
    cuando muy sin sobre también me hasta hay donde quien desde todo nos durante fue son era ha han está voy hace
    vemos tiene ser hoy él ella qué cuándo hacia unos unas vivió volveré vuelvo vamos después regresaré estaré reunión
    nuestro y estoy tengo quiero mi nada según tras había sido puede años estuve iré salir será fueron aquí no año
    uno otra otro otros mismo vez bien tiempo sólo así nuevo millones ante cada quiere cita dos mis gracias hola
    cómo dónde puedo puedes podemos nunca siempre ahora sigue página artículo código llegó estaba tenía hubo esa ese eso
    """,
    "it": """
    il lo la gli le di del della dei delle dello degli è un uno una che in non per con si da dal dalla nel nella nei
    nelle al alla ai alle sono ha hanno era erano come anche più ma se dopo prima durante su sul sulla tra fra questo
    questa quello quando dove chi ci mi ti sarà stato stata fa ogni verso vediamo tornerò andrò sarò abbiamo
    incontriamoci dell nell all dall sull suo sua loro cui perché già ancora essere stati fino entro oggi sui sulle
    agli dai tutti tutto due tre anni anno primo nuovo ed ad devono solo quanto quale altri altro molto senza saranno
    presidente società mai contro ne grazie buongiorno ciao posso puoi può vorrei devo deve parliamo sempre quindi però
    così ho io noi voi lui lei pagina articolo codice volta proprio dopodomani nostro nostra vostro sugli dagli
    """,
    "pt": """
    os as de do da dos das em no na nos nas que um uma é com não para por se ao à foi são como mais mas ou seu sua
    seus pelo pela até entre depois antes durante desde quando onde quem isso este esta está ele ela eu nós vocês tem
    ser há já também vai fica num numa às aos vou estarei voltarei você meu minha nosso muito sem sobre ainda foram
    era será estar estou mudou viveu ter daqui fazer dois duas ano anos outro outros mesmo bem tempo só assim novo
    próximo próxima quero cada
    """,
    "nl": """
    de het een en van in is dat op te met voor zijn er niet aan om ook als bij of uit maar door over naar tot wordt
    werd was hij zij ze we ik je jullie hebben heeft had deze dit die worden nog wel geen meer onder na sinds tussen
    tijdens vanaf volgens wat wie waar wanneer zal zullen gaan gaat ben laten werden waren zich hun haar dan toen hoe
    dus al tegen zonder omdat kunnen kon moet moeten veel alle andere binnen enkele bijna welke hoeveel nooit altijd
    mijn jouw onze uw mij jou naast elke sommige eens weer graag bent zou zouden wij terug komt kwam vertrekt kost heb
    hallo bedankt vlucht artikel wetboek mag ons jij wil wilt nu iets iemand hier daar straks duurt begint staat
    """,
    "sv": """
    och att det är som en på för med av till den har inte ett om var jag vi han hon de från men så vid när också
    efter under år ska kan eller
    """,
    "da": """
    og at det er en til på for med af den har ikke et om var jeg vi han hun de fra men så ved når også efter under
    skal kan eller blev
    """,
    "no": """
    og at det er en til på for med av den har ikke et om var jeg vi han hun de fra men så ved når også etter under
    skal kan eller ble
    """,
    "pl": """
    na do nie się że to jest jak od po za dla przez ale czy tak był była było są ma który która oraz już tylko przed
    wczoraj jutro dzisiaj roku padał
    """,
    "cs": """
    se na je že do to za pro ale jako by od po který která jsou byl byla bylo ve jsem také nebo roku dnes včera
    """,
    "ro": """
    și în de la cu pe nu că un este din pentru sau mai fost sunt care prin după dar ale lui
    """,
    "hu": """
    az és hogy nem is egy van volt ez meg de mint már csak még vagy ha után előtt
    """,
    "fi": """
    ja on ei se että oli hän ovat mutta kun myös tai joka niin vuonna kuin ole
    """,
    "tr": """
    ve bir bu için ile de da çok daha olarak gibi ancak ama sonra kadar olan oldu yılında değil
    """,
    "id": """
    yang dan di dengan untuk dari pada ini itu tidak adalah dalam akan oleh telah sebagai ke
    """,
    "vi": """
    và của là có không được trong cho một những người đã với các này khi
    """,
    "ru": """
    не на что по как это он она они мы вы для от до из за при но или был была было были есть об также его её их
    который которая которые после перед года году будет мне нас
    """,
    "bg": """
    на да се за от не са по със като но че през до към който която които след беше ще има
    """,
    "sr": """
    на је да се за од не су са као али или који која које после биће био била
    """,
}
