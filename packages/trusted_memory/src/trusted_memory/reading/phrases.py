"""How people correct, withdraw, accept, ask and decline, in seven languages: tables of phrases, no logic.

A phrase is plain words: compared without case, accents or typographic apostrophes, `*` stands for up to four words.
To teach the gate a language, add a key to each table; to teach it a habit of your customers, add a phrase.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))


def plain(text: str) -> str:
    """What phrases are compared with: lower case, no accents, straight apostrophes."""
    if text.isascii():  # most text is: letter by letter, it took a turn 3,500 looks at nothing
        return text.casefold().translate(APOSTROPHES)
    decomposed = unicodedata.normalize("NFKD", text.translate(APOSTROPHES).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)).translate(APOSTROPHES)


def phrases(*tables: str | Mapping[str, str]) -> re.Pattern[str]:
    """One pattern that finds any of the phrases as whole words."""
    listed = (t for table in tables for t in ([table] if isinstance(table, str) else table.values()))
    return words(p for text in listed for p in text.split("|"))


def words(entries: Iterable[str]) -> re.Pattern[str]:
    """A pattern for whole phrases, the longest first; a pattern that matches nothing if there are none.

    Alternatives are grouped by their first letters: tried one by one at every word, they took six times as long.
    """
    groups: dict[str, list[str]] = {}
    joined = []
    for phrase in sorted({plain(e).strip() for e in entries if e.strip()}, key=len, reverse=True):
        if phrase.startswith("n't"):
            joined.append(_phrase(phrase))  # it ends a word: no border before it
        else:
            start = phrase[:2] if phrase[:2].isalpha() and len(phrase) > 1 else ""
            groups.setdefault(start, []).append(_phrase(phrase)[len(start) :])
    if groups:
        joined.insert(0, r"(?<!\w)(?:" + "|".join(f"{g}(?:{'|'.join(ends)})" for g, ends in groups.items()) + ")")
    return re.compile("|".join(joined) or r"(?!)")


@lru_cache(maxsize=4096)
def _phrase(phrase: str) -> str:
    parts = [r"(?:[^\w.!?']+[\w']+){0,4}?" if p == "*" else r"[\s,]+" + re.escape(p) for p in phrase.split()]
    return "".join(parts).removeprefix(r"[\s,]+") + ("" if phrase.endswith("'") else r"(?!\w)")


# Idioms that look like a marker below and are none; blanked before anything else is looked for.
IDIOMS = {
    "en": "actually * question | no thanks | no thank you | no problem | no worries | no need | no rush | no idea"
    " | not yet | not sure | i don't remember | don't remember | can't remember | i don't know | i meant to ask"
    " | i meant to say | why not | if not | or not | whether or not | by mistake | sent * wrong | sent me * wrong"
    " | received * wrong | got sent | got the wrong | wrong item | wrong product | wrong order | wrong parcel"
    " | wrong package | went wrong | what's wrong | whats wrong | is anything wrong | right now | for now"
    " | just now | by now | until now | any more questions | any more info | change of clothes | i forgot"
    " | no longer works | nothing wrong | no doubt | make it in time | make it there | make it to | mind you"
    " | better than | even better | do better | not only | no later than | no more than | no other questions"
    " | actually a question | wrong size came | thank you for that | as i said before | not working | doesn't work"
    " | didn't work | keep it the way it is | leave it the way it is | rather keep it | rather leave it"
    " | happy with how it is | happy with it as it is | never forget it | never forget that",
    "de": "nein danke | kein problem | noch nicht | keine ahnung | ich weiss nicht | warum nicht | im moment"
    " | was ist falsch | falsche ware | falschen artikel | falsches produkt | falsche paket | falsches paket"
    " | ob oder nicht | nicht sicher | ich habe vergessen | ich habe * vergessen | funktioniert nicht mehr",
    "fr": "non merci | pas de probleme | pas encore | pas sur | je ne sais pas | pourquoi pas"
    " | pas du tout de souci | pas de souci | mauvais article | mauvais produit | mauvais colis | pour l'instant"
    " | j'ai oublie | en plus",
    "es": "no gracias | no hay problema | todavia no | aun no | no se | por que no | articulo equivocado"
    " | producto equivocado | paquete equivocado | por ahora | olvide mi contrasena | me olvide",
    "it": "no grazie | nessun problema | non ancora | non so | perche no | articolo sbagliato | prodotto sbagliato"
    " | pacco sbagliato | per ora | ho dimenticato | non lo so",
    "pt": "nao obrigado | nao obrigada | sem problema | ainda nao | nao sei | por que nao | artigo errado"
    " | produto errado | pacote errado | por agora | por enquanto | esqueci",
    "nl": "nee dank je | nee bedankt | nee hoor bedankt | geen probleem | nog niet | weet ik niet"
    " | ik weet het niet | waarom niet | verkeerde artikel | verkeerd artikel | verkeerde product | verkeerd product"
    " | verkeerde pakket | verkeerd pakket | voorlopig | ben vergeten",
}

# An explicit correction, whatever is known about the customer.
CORRECTIONS = {
    "en": "i meant | i mean | what i meant | i misspoke | i mistyped | i mistakenly | my mistake | my bad | typo"
    " | misspelled | misspelt | spelled | spelt | correction | let me correct | to correct | please correct"
    " | correct my | correct that | scratch that | strike that | i never said | i never told | i never asked for"
    " | that's wrong | wrong | incorrect | incorrectly | not correct | not right | isn't right | isn't correct"
    " | aren't right | inaccurate | mistaken | mistake | not true | isn't true | not accurate | outdated"
    " | out of date | should be | should read | should say | should have been | supposed to be | changed my mind"
    " | change my mind | on second thought | on second thoughts | come to think of it | thinking about it | no longer"
    " | not anymore | not any more | n't * anymore | n't * any more | not * anymore | not * any more | stopped being"
    " | used to be | you misunderstood | misunderstanding | misheard | mixed up | mix up | confused * with"
    " | not what i | got * backwards | the other way around | other way round | i take that back | fix that | fix my"
    " | fix it | undo | revert | roll back | put it back | change it back | set it back | i was wrong"
    " | i had it wrong | ignore what i | disregard | not me | isn't me | that was before | not the case",
    "de": "ich meinte | ich meine | gemeint war | meinte ich | nie gesagt | stimmt nicht | stimmt so nicht"
    " | stimmt nicht mehr | stimmt nimmer | falsch | nicht richtig | nicht korrekt | inkorrekt | korrektur"
    " | korrigieren | korrigiere | korrigier | berichtigen | berichtigung | verschrieben | vertippt | mein fehler"
    " | versehen | ein fehler | irrtum | geirrt | vertan | sondern | doch lieber | lieber doch | doch nicht"
    " | anders ueberlegt | anders uberlegt | meine meinung geandert | nicht mehr | nicht langer | kein * mehr"
    " | keine * mehr | keinen * mehr | missverstanden | missverstandnis | verwechselt | muss * heissen"
    " | sollte * sein | veraltet",
    "fr": "je voulais dire | je veux dire | jamais dit | c'est faux | est fausse | est faux | sont fausses"
    " | c'est pas ca | ce n'est pas | n'est pas correct | n'est pas bon | n'est pas exact | pas correct | pas exact"
    " | incorrect | incorrecte | inexact | erreur | je me suis trompe | je me suis trompee | suis trompe"
    " | vous trompez | te trompes | correction | corrige | corriger | corrigez | rectifier | rectification"
    " | change d'avis | ne * plus | n' * plus | n'est plus | n'ai plus | n'habite plus | n'aime plus | suis plus"
    " | mal compris | malentendu | confondu | faute de frappe | devrait etre | perime | plus valable"
    " | plus d'actualite",
    "es": "quise decir | queria decir | me referia | quiero decir | nunca dije | no es correcto | no es correcta"
    " | no es asi | no es cierto | no es verdad | esta mal | incorrecto | incorrecta | equivocado | equivocada"
    " | equivocacion | me equivoque | me he equivocado | se equivoca | te equivocas | correccion | corrige | corregir"
    " | corrija | corrijo | error mio | hay un error | un error | cambie de opinion | cambiado de opinion"
    " | cambie de idea | ya no | sino | mal entendido | malentendido | entendio mal | entendiste mal | confundido"
    " | deberia ser | deberia decir | desactualizado | desactualizada",
    "it": "volevo dire | intendevo | intendo | mai detto | e sbagliato | e sbagliata | sbagliato | sbagliata"
    " | sbagliati | non e corretto | non e corretta | non e giusto | non e vero | scorretto | errato | errata"
    " | mi sono sbagliato | mi sono sbagliata | mi sbagliavo | si sbaglia | ti sbagli | errore | correzione"
    " | correggi | correggere | corregga | ho cambiato idea | cambiato idea | non * piu | ha capito male"
    " | hai capito male | malinteso | frainteso | confuso con | dovrebbe essere | bensi | anzi | ripensandoci"
    " | non aggiornato",
    "pt": "quis dizer | queria dizer | quero dizer | nunca disse | nao esta certo | nao esta correto"
    " | nao esta correta | nao e verdade | nao e isso | esta errado | esta errada | errado | errada | incorreto"
    " | incorreta | enganei-me | me enganei | enganou-se | se enganou | engano | errei | correcao | corrija | corrige"
    " | corrigir | mudei de ideia | mudei de ideias | mudei de opiniao | ja nao | nao * mais | mal-entendido"
    " | entendeu mal | confundiu | deveria ser | devia ser | desatualizado | desatualizada | um erro | alias",
    "nl": "ik bedoelde | ik bedoel | bedoelde ik | bedoel ik | nooit gezegd | klopt niet | klopt niet meer"
    " | niet juist | niet correct | niet waar | is fout | fout | foutje | verkeerd | verkeerde | onjuist | vergissing"
    " | vergiste | vergist | typfout | correctie | corrigeer | corrigeren | verbeter | bedacht | van gedachten"
    " | van mening veranderd | niet meer | niet langer | geen * meer | toch liever | liever toch | toch maar"
    " | toch niet | maar niet | misverstand | verkeerd begrepen | verward met | moet * zijn | zou * moeten zijn"
    " | verouderd",
}

# Repeats what was said before: a correction where it names something that the schema knows.
SAID = {
    "en": "i said | i told you | i asked for | i didn't say | i did not say | i didn't ask for | as i said"
    " | i already said | i wrote | i had written | i typed | i put down",
    "de": "ich sagte | ich habe gesagt | ich hab gesagt | hatte gesagt | habe * gesagt | hab * gesagt | sagte doch"
    " | ich schrieb | ich habe geschrieben | hatte geschrieben | habe * geschrieben",
    "fr": "j'ai dit | je disais | j'avais dit | j'avais demande | j'ai demande | pas dit | j'ai ecrit | j'avais ecrit",
    "es": "dije | he dicho | habia dicho | pedi | le dije | te dije | escribi | he escrito | habia escrito",
    "it": "ho detto | avevo detto | dicevo | avevo chiesto | ho scritto | avevo scritto",
    "pt": "eu disse | disse que | tinha dito | pedi | tinha pedido | escrevi | tinha escrito",
    "nl": "ik zei | ik had gezegd | heb gezegd | zei toch | zei ik | ik schreef | heb geschreven | had geschreven",
}

# A wish that something said before, or stored, is taken back.
RETRACTIONS = {
    "en": "stop doing | stop that | stop it | forget that | forget my | forget what | forget about | forget the"
    " | forget it | forget i | forget everything | please forget | delete my | delete that | delete the"
    " | delete what | remove my | remove that | erase | wipe | drop my | drop that | take back | take that back"
    " | take it back | take that off | take it off | take * off file | take * off my | clear my | don't keep"
    " | don't store | don't save | don't use | do not use | do not keep | do not store | do not save | not use my"
    " | don't want you to | stop using | stop calling | stop texting | stop sending | stop e-mailing"
    " | stop emailing | stop contacting | don't call | do not call | don't text | don't email | isn't my"
    " | is not my | aren't my | not my | lose the | not a * anymore | get rid of | i withdraw | i retract"
    " | retract | unsay | no more | never again | bin the | bin my | bin that | scrap the | scrap my | ditch the"
    " | ditch my | don't care where | don't mind where | strike the",
    "de": "ich will kein | keine * mehr | vergiss | vergessen sie | bitte vergessen | losche | loschen | losch"
    " | streiche | streichen | streich | entferne | entfernen | nicht speichern | nicht merken | nicht verwenden"
    " | nicht benutzen | nicht mein | nicht meine | nehme * zuruck | zurucknehmen | hor auf | horen sie auf"
    " | rufen sie mich nicht",
    "fr": "je ne veux plus | plus de | oublie | oubliez | oublier | supprime | supprimez | supprimer | efface"
    " | effacez | effacer | retire | retirez | retirer | enleve | enlevez | ne gardez pas | ne garde pas"
    " | n'utilisez pas | n'utilise pas | n'utilisez plus | n'est pas mon | n'est pas ma | pas mon | pas ma"
    " | arretez de | arrete de | ne m'appelez pas",
    "es": "no quiero mas | no mas | olvida | olvidate | olvidese | olvide lo | olvide que | olvide esa | olvide ese"
    " | borra | borre | borrar | elimina | elimine | eliminar | quita | quite | suprime | suprima | no guarde"
    " | no guardes | no use | no uses | no es mi | deje de | deja de | dejen de | no me llame | no me llames",
    "it": "non voglio piu | basta | dimentica | dimentichi | dimenticate | cancella | cancelli | cancellare"
    " | elimina | elimini | eliminare | rimuovi | rimuova | rimuovere | togli | tolga | non salvare | non usare"
    " | non usate | non e il mio | non e la mia | smetti di | smetta di | non chiamarmi | non mi chiami",
    "pt": "nao quero mais | chega de | esquece | esqueca | apaga | apague | apagar | elimina | elimine | eliminar"
    " | remove | remova | remover | exclua | excluir | retire | nao guarde | nao use | nao e o meu | nao e a minha"
    " | nao e meu | nao e minha | pare de | para de | nao me ligue",
    "nl": "ik wil geen | geen * meer | vergeet | verwijder | verwijderen | wis | wissen | schrap | haal * weg"
    " | niet bewaren | niet gebruiken | niet opslaan | gebruik * niet | is niet mijn | niet mijn | stop met"
    " | bel me niet | neem * terug",
}

# A turn in what is wanted: urgent where any fact is live, since it needs no cue word ("lieber abends").
SHIFTS = {
    "en": "actually | in fact | instead | rather | no wait | wait no | wait | oops | whoops | sorry it's | sorry its"
    " | sorry make | sorry not | from now on | going forward | from here on | from today | these days | nowadays"
    " | i'd prefer | i would prefer | i prefer | prefer | i've become | i became | turns out | better for me"
    " | suits me | works better | works best | be better | is better | are better | to be precise | more precisely"
    " | gone back to | going back to | went back to | i switched | i've switched | we switched | we've switched"
    " | i've changed | i changed | has changed | have changed | we moved | i moved | i've moved | we've moved"
    " | i go by | call me | put me down | make that | as of | relocated | settled | resettled | new place"
    " | old place | old one | former | got married | got divorced | maiden name | married name | i'm * now"
    " | i am * now | am * now | we're * now | we are * now | it's * now | is * now | are * now | live * now"
    " | use * now | in future | in the future | for the future | as a rule | generally | sooner | hang on"
    " | hold on | come later | come earlier | later please | earlier please | closer | nearer | handier"
    " | easier for | more convenient | more comfortable | fits * better | suits * better | works * better"
    " | feels better | lapsed | expired | ran out | bumped up | bumped to | upgraded | promoted | downgraded"
    " | new job | new schedule | new shift | new shifts | out of the house | not home | working from home"
    " | work from home | down to a | up to a | gone up a | gone down a | too big | too small | too tight"
    " | too loose | hanging off | lost weight | put on weight | gained | just got | just became | since yesterday"
    " | since last | since the wedding | got engaged | stopped | i quit | gave up | upgrade to | pregnant"
    " | pregnancy | expecting a | diagnosed | since the operation | since the surgery | since my operation"
    " | since my surgery | ever since",
    "de": "nie | niemals | nur | eigentlich | tatsachlich | stattdessen | statt | anstatt | anstelle | lieber"
    " | besser | passt mir | ware mir | ab jetzt | ab sofort | jetzt | kunftig | zukunftig | in zukunft"
    " | neuerdings | inzwischen | mittlerweile | umgezogen | hat sich geandert | haben sich geandert | gewechselt"
    " | ups | hoppla | moment | nur noch | bevorzuge | ziehe * vor | heisse jetzt | nennen sie mich | nenn mich"
    " | doch | naher | besser | bequemer | praktischer | seit gestern | seit heute | seit kurzem | seit letzter"
    " | seit letztem | seit letzten | zu gross | zu klein | zu eng | zu weit | abgelaufen | neuer job"
    " | neue stelle | neuen job | schwanger | schwangerschaft | seit der operation | aufgehort | seit einem"
    " | seit einer | seit ein paar",
    "fr": "jamais | seulement | uniquement | maintenant | en fait | finalement | plutot | au lieu | a la place"
    " | desormais | dorenavant | a partir de maintenant | demenage | a change | ont change | je prefere"
    " | prefererais | prefere | m'arrange | me convient | attends | attendez | oups | appelez-moi | appelle-moi"
    " | mieux | plus proche | plus pres | plus pratique | plus simple | plus confortable | mieux | depuis hier"
    " | depuis peu | trop grand | trop petit | trop grande | trop petite | trop serre | expire | nouveau travail"
    " | nouvel emploi | enceinte | grossesse | depuis l'operation | arrete | depuis un an | depuis quelques",
    "es": "nunca | jamas | solo | solamente | ahora | en realidad | de hecho | mejor | mas bien | en vez | en lugar"
    " | de ahora en adelante | a partir de ahora | desde ahora | ultimamente | me he mudado | me mude"
    " | nos mudamos | ha cambiado | han cambiado | cambie a | prefiero | preferiria | me viene | me conviene"
    " | espera | espere | llameme | llamame | mas cerca | mas comodo | mas comoda | mas practico | desde ayer"
    " | desde hace poco | demasiado grande | demasiado pequeno | queda grande | queda pequeno | caducado | caduco"
    " | nuevo trabajo | trabajo nuevo | embarazo | embarazada | desde la operacion | he dejado de | desde hace",
    "it": "mai | solo | soltanto | adesso | in realta | veramente | piuttosto | meglio | invece | al posto"
    " | d'ora in poi | da ora in poi | d'ora in avanti | ultimamente | mi sono trasferito | mi sono trasferita"
    " | ci siamo trasferiti | e cambiato | e cambiata | sono passato a | sono passata a | preferisco | preferirei"
    " | mi conviene | aspetta | aspetti | ops | chiamami | mi chiami | piu vicino | piu comodo | piu comoda"
    " | piu pratico | da ieri | da poco | troppo grande | troppo piccolo | troppo stretto | scaduto | scaduta"
    " | nuovo lavoro | incinta | gravidanza | dopo l'operazione | dall'operazione | ho smesso | da un anno"
    " | da qualche",
    "pt": "nunca | jamais | somente | apenas | agora | na verdade | afinal | melhor | em vez | ao inves | em lugar"
    " | de agora em diante | a partir de agora | daqui para a frente | ultimamente | mudei | nos mudamos | mudou"
    " | prefiro | preferia | preferiria | da-me mais jeito | espera | espere | ops | chame-me | me chame"
    " | so posso | so consigo | so estou | mais perto | mais comodo | mais pratico | da mais jeito | desde ontem"
    " | ha pouco tempo | demasiado grande | demasiado pequeno | muito grande | muito pequeno | apertado | expirou"
    " | caducou | novo emprego | gravida | gravidez | desde a operacao | deixei de | ha um ano | desde ha",
    "nl": "nooit | alleen | nu | eigenlijk | liever | in plaats van | voortaan | vanaf nu | tegenwoordig | inmiddels"
    " | verhuisd | is veranderd | is gewijzigd | overgestapt | beter | komt * beter uit | voorkeur | wacht | oeps"
    " | sorry maar | noem me | noem mij | alleen nog | dichterbij | dichter bij | handiger | makkelijker"
    " | prettiger | sinds gisteren | sinds kort | te groot | te klein | te krap | verlopen | nieuwe baan | zwanger"
    " | zwangerschap | sinds de operatie | gestopt | sinds een",
}

# The turns that put something else in the place of what was said a moment ago, which memory may not have read yet.
INSTEAD = {
    "en": "actually | instead | rather | no wait | wait no | oops | whoops | on second thought | make that"
    " | sorry make",
    "de": "eigentlich | stattdessen | lieber | doch | moment",
    "fr": "en fait | finalement | plutot | a la place",
    "es": "en realidad | mejor | mas bien | en vez | en lugar",
    "it": "in realta | piuttosto | invece | anzi",
    "pt": "na verdade | afinal | em vez | em lugar",
    "nl": "eigenlijk | liever | in plaats van | toch maar",
}

# A new place to live, which changes much else: urgent where any fact is live, whatever else the sentence is about.
MOVES = {
    "en": "moved to | moving to | moved in | movers | relocated | relocating | new house | new home | new flat"
    " | new apartment | new place | new city | bought a place | bought a house | bought a flat | took * job in"
    " | new job in | since the move | after the move | we live in | i live in * now",
    "de": "umzug | umgezogen | ziehe nach | ziehen nach | neue wohnung | neues haus | neuen wohnung | neuen haus",
    "fr": "demenage | demenagement | nouvel appartement | nouvelle maison | nouveau logement",
    "es": "mudanza | me mudo | nos mudamos | me he mudado | nos hemos mudado | casa nueva | nueva casa | piso nuevo",
    "it": "trasloco | traslocato | trasferito | trasferita | trasferiti | nuova casa | casa nuova",
    "pt": "mudanca | mudei-me | mudamo-nos | me mudei | nos mudamos | casa nova | nova casa",
    "nl": "verhuisd | verhuizing | nieuwe huis | nieuw huis | nieuwe woning | nieuwe appartement",
}

# A few words with one of these ask for something: "por la noche, por favor".
POLITE = {
    "en": "please | pls | plz",
    "de": "bitte",
    "fr": "s'il vous plait | s'il te plait | svp",
    "es": "por favor",
    "it": "per favore | per cortesia",
    "pt": "por favor | se faz favor",
    "nl": "graag | alsjeblieft | alstublieft",
}

# A change is announced or asked for: urgent where it names the attribute of a live fact.
CHANGES = {
    "en": "now | new | change | changed | changes | changing | update | updated | moved | moving | switch"
    " | switched | set | make | replace | different | another | other | old | only | always | never | not | n't"
    " | need | want | like | use | add | also | too | is | are | as well | please | stop | no | it's | i'm | has",
    "de": "jetzt | nun | neu | neue | neuer | neuen | neues | andern | andere | anderen | geandert | wechseln"
    " | aktualisieren | immer | nie | nur | kein | keine | nicht | auch | ausserdem | bitte | ist | bin | habe"
    " | brauche | mochte",
    "fr": "maintenant | nouveau | nouvelle | nouvel | changer | changez | modifier | modifiez | mets | mettez"
    " | autre | toujours | jamais | ne | pas | aussi | est | suis | ai | voudrais | veux",
    "es": "ahora | nuevo | nueva | cambia | cambie | cambiar | actualice | actualiza | otro | otra | siempre"
    " | nunca | solo | no | tambien | es | soy | tengo | quiero",
    "it": "adesso | ora | nuovo | nuova | cambia | cambi | cambiare | modifica | aggiorna | altro | altra | sempre"
    " | mai | solo | non | anche | e | sono | ho | vorrei | voglio",
    "pt": "agora | novo | nova | mude | mudar | altere | alterar | atualize | outro | outra | sempre | nunca | nao"
    " | tambem | e | sou | tenho | quero",
    "nl": "nu | nieuw | nieuwe | wijzig | wijzigen | verander | veranderen | ander | andere | altijd | nooit"
    " | alleen | niet | geen | ook | is | ben | heb | wil",
}

# Something has taken the place of what was held.
NEW = {
    "en": "new | changed | renewed | replaced",
    "de": "neu | neue | neuer | neuen | neues | geandert",
    "fr": "nouveau | nouvelle | nouvel | change",
    "es": "nuevo | nueva | cambiado | cambio",
    "it": "nuovo | nuova | cambiato | cambiata",
    "pt": "novo | nova | mudou | mudei",
    "nl": "nieuw | nieuwe | veranderd | gewijzigd",
}

# The customer speaks of themselves.
FIRST = {
    "en": "i | i'm | i've | i'd | i'll | me | my | mine | we | we're | we've | our | us | myself",
    "de": "ich | mich | mir | mein | meine | meinen | meinem | meiner | wir | uns | unser | unsere",
    "fr": "je | j' | moi | mon | ma | mes | nous | notre | nos | m'",
    "es": "yo | me | mi | mis | nosotros | nos | nuestra | nuestro | tengo | soy | estoy | vivo",
    "it": "io | mi | mio | mia | miei | noi | ci | nostro | nostra | ho | sono | sto",
    "pt": "eu | me | mim | meu | minha | meus | nos | nosso | nossa | tenho | sou | estou | moro",
    "nl": "ik | mij | me | mijn | wij | we | ons | onze",
}

# The customer tells something lasting of themselves; without a value that anybody recognises it may still replace one.
HABITS = {
    "en": "i'm a | i'm an | i am a | i am an | i live | i work | i wear | i take a | i use | i eat | i hold | i fly"
    " | i sit | i go by | i speak | we live | we work | my feet | my name | my home | i'm vegan | i'm vegetarian"
    " | i'm still | as a | i fly out of | i'm on the",
    "de": "ich bin ein | ich bin eine | ich wohne | ich lebe | ich arbeite | ich trage | ich nutze | ich esse"
    " | ich fliege | ich sitze | wir wohnen | ich heisse | mein name",
    "fr": "je suis un | je suis une | j'habite | je vis | je travaille | je porte | je mange | je chausse"
    " | nous habitons | je m'appelle",
    "es": "soy un | soy una | vivo | trabajo | uso | como | calzo | llevo | vivimos | me llamo",
    "it": "sono un | sono una | vivo | abito | lavoro | porto | mangio | calzo | abitiamo | mi chiamo",
    "pt": "sou um | sou uma | vivo | moro | trabalho | uso | como | calco | moramos | chamo-me | me chamo",
    "nl": "ik ben een | ik woon | ik werk | ik draag | ik gebruik | ik eet | ik vlieg | ik zit | wij wonen"
    " | we wonen | ik heet",
}

# What is held, approved of again: it changes nothing.
APPROVALS = {
    "en": "fine | perfect | good | great | ok | okay | still | as always | as usual | as before | keep | stay"
    " | stays | suits | works | love | yes | happy with | same | unchanged | thanks | thank you | regards"
    " | best wishes | kind regards | sincerely | yours",
    "de": "passt | gut | perfekt | weiterhin | wie immer | bleibt | behalten | danke | grusse | grussen | gruss",
    "fr": "parfait | tres bien | toujours | comme d'habitude | gardez | merci | cordialement | bien a vous",
    "es": "perfecto | bien | como siempre | sigue | igual | gracias | saludos | atentamente",
    "it": "perfetto | va bene | come sempre | ancora | grazie | saluti | cordialmente",
    "pt": "perfeito | esta bem | como sempre | continua | obrigado | obrigada | cumprimentos | abracos"
    " | atenciosamente",
    "nl": "prima | goed | zoals altijd | nog steeds | blijft | bedankt | groeten | groetjes | vriendelijke groet",
}

# Said of a value that is held: nothing new.
REPEATS = {
    "en": "still | as always | as usual | usual | as before | again | same | unchanged | just what | exactly what"
    " | leave it | stay | stays | stick with | as you know | like you always | like last year | as ever"
    " | the way it is | you know i | remember i | keep it | keep the | keep my | let's keep | keeping the",
    "de": "weiterhin | wie immer | wie ublich | wieder | nach wie vor | bleibt | lassen | behalten | bleiben | bleib"
    " | wie sie wissen | wie du weisst",
    "fr": "toujours | comme toujours | comme d'habitude | encore | gardez | gardons | restez | laissez"
    " | comme vous savez | comme tu sais",
    "es": "como siempre | sigue | igual | otra vez | de nuevo | como de costumbre | dejar | dejemos | deja"
    " | el de siempre | la de siempre | ya lo sabes | como sabes | como sabe | siempre",
    "it": "come sempre | ancora | di nuovo | come al solitomo | lascia | teniamo | resta | come sai"
    " | come sapete | come sa | sempre",
    "pt": "como sempre | continua | de novo | como de costume | deixe | deixa | manter | mantenha | o de sempre"
    " | como sabe | como sabes | sempre",
    "nl": "zoals altijd | nog steeds | weer | opnieuw | zoals gewoonlijk | blijft | houden | laten we"
    " | zoals je weet | laat",
}

NEGATIONS = {
    "en": "not | n't | no | never | hate | dislike | can't stand | cannot | without | none | neither | nor"
    " | instead of | rather than | don't | doesn't | isn't | aren't | wasn't | won't | can't | didn't | shouldn't"
    " | wouldn't | avoid | less | used to",
    "de": "nicht | kein | keine | keinen | keiner | nie | niemals | ohne | weder | statt | anstatt | ungern | hasse"
    " | fruher",
    "fr": "ne | n' | pas | jamais | aucun | aucune | sans | ni | au lieu de | deteste | avant",
    "es": "no | nunca | jamas | ningun | ninguna | sin | ni | en vez de | en lugar de | odio | antes",
    "it": "non | mai | nessun | nessuna | senza | ne | invece di | odio | prima",
    "pt": "nao | nunca | nenhum | nenhuma | sem | nem | em vez de | ao inves de | odeio | antes",
    "nl": "niet | geen | nooit | zonder | noch | in plaats van | haat | vroeger",
}

NO = {
    "en": "no | nope | nah | not quite | not exactly",
    "de": "nein | ne | nee | nicht ganz",
    "fr": "non | pas tout a fait | pas exactement",
    "es": "no | no exactamente | no del todo",
    "it": "no | non proprio | non esattamente",
    "pt": "nao | nao exatamente",
    "nl": "nee | neen | niet helemaal",
}

# What is left of a "no" that only declines or closes.
CLOSINGS = {
    "en": "thanks | thank you | thank | that's all | that is all | that'll be all | that will be all | that's it"
    " | that is it | that would be all | that'll be it | that will be it | that does it | i'm good | i am good"
    " | i'm fine | i am fine | i'm okay | i'm ok | all good | all set | i'm set | i'm all set | nothing else"
    " | nothing more | nothing | not now | not right now | not today | not at this time | not at the moment"
    " | later | it's ok | it's okay | it's fine | that's fine | that's ok | that's okay | bye | goodbye"
    " | have a * day | appreciate | you've been | you have been | i'll * later | don't bother | leave it"
    " | as it is | no changes | that's everything | that is everything | for the help | for your help | great help"
    " | all i need | all i needed | i don't need | i don't think so | i don't want to | i do not want to"
    " | please don't | cheers | you're a star | a million | you're the best | brilliant | awesome | ta"
    " | much appreciated | legend",
    "de": "danke | das war's | das wars | das war alles | das ist alles | alles gut | passt schon | nichts | spater"
    " | nicht jetzt | tschuss | vielen dank | super",
    "fr": "merci | c'est tout | c'est bon | ca ira | rien | plus tard | pas maintenant | au revoir",
    "es": "gracias | eso es todo | es todo | nada mas | nada | esta bien | mas tarde | ahora no | adios | mil gracias",
    "it": "grazie | e tutto | basta cosi | nient'altro | va bene cosi | a posto | niente | dopo | piu tardi"
    " | arrivederci | mille | grazie mille",
    "pt": "obrigado | obrigada | e tudo | e so | so isso | mais nada | nada | esta bem | depois | agora nao | adeus",
    "nl": "bedankt | dank je | dank u | dat was het | dat is alles | dat was alles | niets | het is goed | later"
    " | nu niet | dag",
}

ACCEPTANCES = {
    "en": "yes | yeah | yep | yup | ya | yea | yess | sure | ok | okay | k | okey | okie | alright | all right"
    " | fine | please do | please | go ahead | do it | do that | do so | that works | works for me | sounds good"
    " | sounds great | sounds perfect | sound good | perfect | great | exactly | correct | right | that's it"
    " | that's right | agreed | agree | absolutely | of course | definitely | certainly | confirm | confirmed"
    " | i confirm | good idea | good | let's do | let's go | i accept | accepted | fine by me | fine with me"
    " | i'd like that | i'd love that | would be great | would be good | would be fine | would be nice"
    " | would be perfect | would help | why not | you can | you may | cool | indeed | by all means | be my guest"
    " | the first | the second | the latter | the former | that one | the last one | i'll take | i would | i do"
    " | it is | it would | that would | they are | mhm | y | got it | lovely | understood | noted",
    "de": "ja | jawohl | jo | jep | gern | gerne | klar | genau | passt | einverstanden | mach das | machen sie das"
    " | machen sie | in ordnung | richtig | stimmt | bitte | natuerlich | naturlich | perfekt | super | gut | okay"
    " | ok | tun sie das | das ware gut | das erste | das zweite | die erste | die zweite | der erste | der zweite"
    " | den ersten | den zweiten | letzteres | ersteres",
    "fr": "oui | ouais | d'accord | ok | okay | bien sur | volontiers | parfait | exact | exactement | c'est ca"
    " | allez-y | vas-y | faites | tres bien | entendu | ca marche | ca me va | s'il vous plait | avec plaisir"
    " | c'est correct | tout a fait | le premier | la premiere | le deuxieme | la deuxieme | le second"
    " | la seconde | le dernier | la derniere",
    "es": "si | claro | vale | de acuerdo | perfecto | por supuesto | correcto | exacto | esta bien | ok | okay"
    " | hagalo | hazlo | adelante | me parece bien | por favor | bueno | bien | eso es | asi es | dale | genial"
    " | el primero | la primera | el segundo | la segunda | el ultimo | la ultima",
    "it": "si | certo | va bene | d'accordo | perfetto | esatto | ok | okay | certamente | giusto | corretto"
    " | fai pure | faccia pure | procedi | proceda | volentieri | per favore | ottimo | benissimo | mi va bene"
    " | il primo | la prima | il secondo | la seconda | l'ultimo | l'ultima",
    "pt": "sim | claro | pode ser | tudo bem | isso | perfeito | com certeza | esta bem | ok | okay | certo"
    " | de acordo | exato | correto | faca isso | pode fazer | avance | por favor | combinado | otimo | boa"
    " | o primeiro | a primeira | o segundo | a segunda | o ultimo | a ultima",
    "nl": "ja | jazeker | graag | prima | goed | akkoord | klopt | inderdaad | doe maar | ok | oke | okay | precies"
    " | zeker | natuurlijk | perfect | is goed | dat is goed | alsjeblieft | juist | de eerste | de tweede"
    " | het eerste | het tweede | de laatste",
}
ACCEPTING_SIGNS = "👍👌✅💯🙏"

# The assistant offers to do something, or asks what is wanted.
OFFERS = {
    "en": "shall i | should i | shall we | should we | would you like | do you want | would you want | want me to"
    " | like me to | may i | can i | could i | i can | i could | let me know if | would you prefer | do you prefer"
    " | is that ok | is that okay | is it ok | ok with you | shall | how about | what about | i suggest | i propose"
    " | if you like | if you wish | would it help | sound good",
    "de": "soll ich | sollen wir | darf ich | kann ich | mochten sie | mochtest du | wollen sie | willst du"
    " | ich kann | ich konnte | wie ware | bevorzugen sie | wenn sie mochten",
    "fr": "dois-je | puis-je | voulez-vous | veux-tu | souhaitez-vous | souhaites-tu | je peux | preferez-vous"
    " | preferes-tu | que diriez-vous | ca vous va | si vous voulez",
    "es": "quiere que | quieres que | le gustaria | te gustaria | desea que | puedo | podria | debo | prefiere"
    " | prefieres | que tal | le parece | te parece | desea | quiere | quieres",
    "it": "vuole che | vuoi che | devo | posso | potrei | desidera | le va bene | ti va bene | preferisce"
    " | preferisci | che ne dice | vuole | vuoi",
    "pt": "quer que | gostaria que | deseja que | posso | devo | poderia | prefere | que tal | pode ser | quer"
    " | deseja | gostaria",
    "nl": "zal ik | moet ik | mag ik | kan ik | wilt u | wil je | ik kan | ik zal | heeft u liever | heb je liever"
    " | wat dacht u | is dat goed",
}

# The assistant asks whether something is so.
CHECKS = {
    "en": "is that right | is this right | is that correct | is this correct | correct | right | do you mean"
    " | did you mean | so you | please confirm | confirm | does that | will that | should your | should the | is your"
    " | is it | are you | still",
    "de": "meinen sie | meinten sie | richtig | stimmt das | korrekt | ist das | passt",
    "fr": "est-ce que | est-ce | c'est bien | c'est correct | n'est-ce pas | vouliez-vous",
    "es": "es correcto | correcto | verdad | quiso decir",
    "it": "giusto | corretto | e corretto | intendeva | intendevi",
    "pt": "esta certo | certo | correto | quis dizer",
    "nl": "klopt dat | klopt het | juist | bedoelt u | bedoel je",
}

# Verbs of keeping and changing what is known; an offer with one of them is about memory if it names something known.
KEEPING = {
    "en": "save | saved | store | note | noted | remember | record | update | updated | change | changed | set"
    " | switch | switched | keep | put | register | use | add | remove | delete | correct your | correct it"
    " | correct that | make | move | replace | mark | list | default | clear | forget | prefer | from now on"
    " | call you",
    "de": "speichern | merken | notieren | vermerken | andern | aktualisieren | umstellen | hinterlegen | eintragen"
    " | setzen | verwenden | nutzen | loschen | entfernen | wechseln | hinzufugen | kunftig | korrigieren | nennen",
    "fr": "enregistrer | enregistre | noter | note | retenir | memoriser | modifier | changer | change | mettre"
    " | mette | passer | passe | garder | utiliser | supprimer | ajouter | corriger | remplacer | desormais"
    " | mettre a jour | appeler",
    "es": "guardar | guarde | anotar | anote | recordar | recuerde | cambiar | cambie | cambio | actualizar"
    " | actualice | poner | ponga | usar | use | eliminar | elimine | anadir | anada | corregir | corrija | registrar"
    " | registre | pasar | pase",
    "it": "salvare | salvi | annotare | annoti | ricordare | ricordi | cambiare | cambi | cambio | aggiornare"
    " | aggiorni | aggiorno | impostare | imposti | imposto | usare | usi | eliminare | elimini | aggiungere"
    " | aggiunga | correggere | corregga | modificare | modifichi",
    "pt": "guardar | guarde | anotar | anote | lembrar | mudar | mude | alterar | altere | atualizar | atualize"
    " | colocar | coloque | usar | use | apagar | apague | remover | remova | adicionar | adicione | corrigir"
    " | corrija | registrar | registre | trocar | troque",
    "nl": "opslaan | noteren | onthouden | bewaren | wijzigen | wijzig | veranderen | aanpassen | aanpas | zetten"
    " | zet | gebruiken | verwijderen | toevoegen | corrigeren | vastleggen | bijwerken | omzetten | noemen",
}

# What is kept, when the offer names no attribute of the schema.
KEPT = {
    "en": "preference | preferences | profile | on file | default | your account details | your details"
    " | future orders | from now on | all future | going forward | for next time | your settings",
    "de": "profil | praferenz | voreinstellung | standard | kunftig | ihre daten | einstellungen",
    "fr": "profil | preference | preferences | par defaut | desormais | vos donnees | vos coordonnees",
    "es": "perfil | preferencia | preferencias | por defecto | predeterminado | sus datos | a partir de ahora",
    "it": "profilo | preferenza | preferenze | predefinito | i suoi dati | d'ora in poi",
    "pt": "perfil | preferencia | preferencias | padrao | seus dados | a partir de agora",
    "nl": "profiel | voorkeur | voorkeuren | standaard | uw gegevens | voortaan",
}

# Look-ups, bookings and other errands: what a service does once, not what is remembered.
ERRANDS = {
    "en": "book | booking | bookings | booked | reserve | reservation | reservations | buy | purchase | look up"
    " | look for | look into | check | search | find | show | track | cancel | refund | return | exchange | resend"
    " | send | ship | pay | process | transfer | connect | schedule | arrange | place the | place an | place it"
    " | place your | proceed | appointment | ticket | tickets | flight | flights | train | trains | taxi | cab"
    " | hotel | hotels | room | table | restaurant | restaurants | movie | song | play | bus | order | orders"
    " | anything else | help | parcel | package | attraction | give me | get me | phone number | telephone number"
    " | the address | postcode | post code | reference number | information | rent | rental | car | event"
    " | itinerary | checkout | invoice | bag | bags | museum | gift card | insurance | payment | looking for"
    " | quotation | a quote | browse | just this once | this once | only this time | for this order only"
    " | this time only",
    "de": "buchen | buche | buchung | reservieren | reservierung | bestellen | bestellung | bestellt | kaufen"
    " | suchen | suche | nachsehen | prufen | finden | zeigen | zeig | stornieren | erstatten | erstattung"
    " | rucksendung | senden | verschicken | bezahlen | termin | ticket | flug | zug | zimmer | tisch | rechnung"
    " | paket | such | angebot | nur dieses mal | nur diesmal | ausnahmsweise",
    "fr": "reserver | reserve | reservation | commander | commande | acheter | chercher | cherche | verifier"
    " | verifie | trouver | trouve | montrer | annuler | annule | rembourser | envoyer | envoie | payer"
    " | rendez-vous | billet | vol | train | chambre | table | facture | colis | juste cette fois"
    " | cette fois seulement | exceptionnellement",
    "es": "reservar | reserve | reserva | comprar | pedir | pedido | buscar | busque | busca | consultar | consulte"
    " | mostrar | encontrar | cancelar | cancele | reembolso | enviar | pagar | cita | billete | boleto | vuelo"
    " | tren | habitacion | mesa | factura | paquete | solo esta vez | por esta vez",
    "it": "prenotare | prenoti | prenotazione | comprare | ordinare | ordine | cercare | cerchi | cerca"
    " | controllare | controlli | mostrare | trovare | annullare | rimborso | inviare | pagare | appuntamento"
    " | biglietto | volo | treno | camera | tavolo | fattura | pacco | solo questa volta | per questa volta",
    "pt": "reservar | reserve | reserva | comprar | pedir | pedido | encomenda | procurar | procure | buscar"
    " | consultar | verificar | mostrar | encontrar | cancelar | reembolso | enviar | pagar | consulta | bilhete"
    " | voo | comboio | trem | quarto | mesa | fatura | so desta vez | so esta vez",
    "nl": "boeken | boek | boeking | reserveren | reserveer | reservering | kopen | bestellen | bestelling"
    " | opzoeken | zoeken | zoek | controleren | nakijken | tonen | vinden | annuleren | terugbetalen | sturen"
    " | betalen | afspraak | ticket | vlucht | trein | kamer | tafel | factuur | pakket | alleen deze keer"
    " | voor deze keer | eenmalig",
}

# A sentence that begins so asks, with or without a question mark.
QUESTIONS = {
    "en": "what | what's | whats | where | where's | when | when's | who | who's | whose | why | how | how's"
    " | which | is | are | am | was | were | do | does | did | has | have you | have they | have i | can | could"
    " | will | would | should | may | shall | any chance | i wonder | i was wondering | i'm wondering | tell me"
    " | let me know | i'd like to know | i want to know | i need to know | i have a question | quick question"
    " | another question | one more question | a question | one question | question",
    "de": "was | wo | wann | wer | warum | wieso | wie | welche | welcher | welches | gibt es | haben sie | hast du"
    " | hat | ist | sind | kann | konnen | kannst | konnten | darf | wird | werden | habe ich | muss ich | stimmt es"
    " | ich wollte fragen | ich habe eine frage",
    "fr": "que | quoi | qu'est-ce | est-ce | ou est | ou sont | quand | qui | pourquoi | comment | combien | quel"
    " | quelle | quels | quelles | avez-vous | as-tu | y a-t-il | peut-on | pouvez-vous | peux-tu | pourriez-vous"
    " | j'ai une question",
    "es": "que | donde | cuando | quien | por que | como | cual | cuales | cuanto | cuanta | cuantos | hay | tiene"
    " | tienen | puede | puedes | podria | podrias | tengo una pregunta | es posible",
    "it": "che | cosa | dove | quando | chi | perche | come | quale | quali | quanto | quanta | c'e | ci sono"
    " | avete | puo | puoi | potrebbe | potresti | ho una domanda | e possibile",
    "pt": "que | o que | onde | quando | quem | por que | porque | como | qual | quais | quanto | quanta | ha | tem"
    " | voces tem | poderia | tenho uma pergunta | e possivel",
    "nl": "wat | waar | wanneer | wie | waarom | hoe | welke | welk | is | zijn | heeft | heb je | hebben | kan"
    " | kunt | kun | mag | kunnen | ik heb een vraag | is het mogelijk",
}

# A question to the assistant's good will: a request where it holds another value.
REQUESTS = {
    "en": "can you | could you | would you | will you | can we | could we | can i get | could i get | can i have"
    " | please can | is it possible to",
    "de": "konnen sie | konnten sie | kannst du | konntest du | konnen wir | wurden sie",
    "fr": "pouvez-vous | pourriez-vous | peux-tu | peut-on | pourrait-on",
    "es": "puede | podria | puedes | podrias | pueden | podrian | podemos",
    "it": "puo | potrebbe | puoi | potresti | potete | possiamo",
    "pt": "pode | poderia | podem | podemos | pode-me",
    "nl": "kunt u | kun je | kunnen we | zou u | zou je",
}

# A request to set something, also when it is put as a question: "could you change it to …?"
SETTING = {
    "en": "change | update | set | make it | make that | switch | put | use | call me | note | remember | save"
    " | correct | fix | replace | remove | forget | delete | keep me | mark | register | swap | instead | don't"
    " | stop",
    "de": "andern | andere | aktualisieren | umstellen | eintragen | merken | notieren | speichern | verwenden"
    " | korrigieren | loschen | stattdessen | lieber | nennen",
    "fr": "changer | modifier | mettre | noter | retenir | enregistrer | utiliser | corriger | supprimer | plutot"
    " | m'appeler | a la place",
    "es": "cambiar | actualizar | poner | anotar | recordar | guardar | usar | corregir | eliminar | borrar"
    " | llamarme | en vez",
    "it": "cambiare | aggiornare | mettere | annotare | ricordare | salvare | usare | correggere | cancellare"
    " | eliminare | chiamarmi | invece",
    "pt": "mudar | alterar | atualizar | colocar | anotar | lembrar | guardar | usar | corrigir | apagar | remover"
    " | trocar | em vez",
    "nl": "wijzigen | veranderen | aanpassen | zetten | noteren | onthouden | opslaan | gebruiken | corrigeren"
    " | verwijderen | noemen | in plaats",
}


# A question that asks, whatever verb it holds: "what is the best way to change …".
WH = {
    "en": "what is | what's | what are | what was | what were | what time | what kind | what do | what does"
    " | what did | what would | what will | what should | what can | what if | where | when | who | whose | why is"
    " | why are | why did | why does | why was | how do | how does | how can | how much | how many | how long"
    " | how is | how are | how far | how often | how would | which | is there | are there | do you | does | did you"
    " | did i | have you | am i | should i | is it | is that | is the | is my | are you | are my | what happens",
    "de": "was | wo | wann | wer | warum | wieso | wie | welche | welcher | welches | gibt es | haben sie | ist"
    " | sind | darf ich",
    "fr": "qu'est-ce | ou | quand | qui | pourquoi | comment | combien | quel | quelle | quels | quelles"
    " | avez-vous | y a-t-il",
    "es": "que | donde | cuando | quien | por que | como | cual | cuales | cuanto | cuantos | hay | tiene | tienen",
    "it": "cosa | che cosa | dove | quando | chi | perche | quale | quali | quanto | quanti | c'e | ci sono | avete",
    "pt": "o que | onde | quando | quem | por que | qual | quais | quanto | quantos | ha | tem | voces tem",
    "nl": "wat | waar | wanneer | wie | waarom | hoe | welke | welk | heeft | heb je",
}

# Words people warm up with.
OPENERS = {
    "en": "hi | hello | hey | hi there | hey there | and | so | but | also | well | thanks | thank you"
    " | thanks a lot | thank you so much | oh | ah | hmm | hm | uh | um | great | awesome | i see | i understand"
    " | got it | good morning | good afternoon | good evening | dear | by the way | btw | then | haha | lol",
    "de": "hallo | guten tag | guten morgen | und | also | aber | ach | oh | hm | danke | vielen dank | ubrigens",
    "fr": "bonjour | bonsoir | salut | et | alors | mais | ah | euh | merci | au fait",
    "es": "hola | buenos dias | buenas tardes | buenas | y | pues | entonces | pero | ah | gracias | muchas gracias"
    " | por cierto",
    "it": "ciao | buongiorno | buonasera | salve | e | allora | ma | ah | grazie | comunque",
    "pt": "ola | oi | bom dia | boa tarde | boa noite | entao | mas | ah | obrigado | obrigada | a proposito",
    "nl": "hallo | goedemorgen | goedemiddag | goedenavond | dag | hoi | en | dus | maar | ah | bedankt | trouwens",
}

# Words after a "no" that add nothing to it.
FILLER = phrases(
    "lot | lots | everyone"
    " | again | so | much | very | that | was | is | good | great | fine | okay | ok | for | now | today"
    " | tonight | the | a | you | your | it"
    " | this | be | thats | that's | i | i'm | am | to | do | not | at | time | moment | right"
    " | just | and | but | really | help"
    " | everything | please | decide | think | should | would | all | done | have | has | had | been"
    " | nice | kind | yes | bye | ciao"
    " | hello | there | here | no | nope | thx | danke | merci | gracias | grazie | obrigado | bedankt"
)
# What may follow a "no" without a comma, where it means no: "no it's 43", "no I said".
STARTS = phrases(
    "i | i'm | i've | i'd | it | its | it's | that | that's | thats | this | these | my | the | make"
    " | please | actually | we | you | your"
    " | you've | they | there | not | use | set | put | change | ich | es | das | mein | meine | bitte"
    " | je | c'est | mon | ma | mi | por"
    " | sono | il mio | la mia | eu | meu | minha | ik | het | mijn"
)

# The customer wonders where the assistant has something from: as good as a "no".
DOUBTS = {
    "en": "do i | did i | am i | where did you get | where do you get | who told you | who said | since when"
    " | says who | why do you think | how come | are you sure | what makes you",
    "de": "habe ich das | hab ich das | woher | wer hat | seit wann | sind sie sicher",
    "fr": "ai-je | d'ou | qui vous a dit | qui t'a dit | depuis quand | vous etes sur",
    "es": "de donde | quien le dijo | quien te dijo | desde cuando | esta seguro",
    "it": "da dove | chi le ha detto | chi ti ha detto | da quando | e sicuro",
    "pt": "de onde | quem lhe disse | quem disse | desde quando | tem certeza",
    "nl": "hoe kom je | hoe komt u | wie zegt | sinds wanneer | weet u zeker",
}

# The assistant speaks of the customer: "you prefer …", "your name is …".
ADDRESSED = {
    "en": "you | your | you're | you've | i have you | i've put | i've noted | i noted | i've set | i've changed"
    " | i've updated",
    "de": "sie | ihre | ihr | ihren | du | dein | deine | habe * notiert | habe * geandert",
    "fr": "vous | votre | vos | tu | ton | ta | tes | j'ai note | j'ai change",
    "es": "usted | su | sus | tu | tus | he anotado | he cambiado",
    "it": "lei | suo | sua | tu | tuo | tua | ho annotato | ho cambiato",
    "pt": "voce | seu | sua | o senhor | a senhora | anotei | mudei",
    "nl": "u | uw | je | jouw | ik heb * genoteerd | ik heb * gewijzigd",
}
