"""What keeps a value in a sentence from being a fact about the customer: phrases in seven languages, no logic.

Supposed, past, reported, somebody else's, an order to the machine, or what is not wanted. Notation: see phrases.py.
"""

from trusted_memory.reading.phrases import phrases

# Not so, or not yet: supposed, wished for, considered.
SUPPOSED = {
    "en": "if i | if we | if they | if he | if she | if my | suppose | supposing | imagine | what if | let's say"
    " | hypothetically | i might | we might | might be | maybe | perhaps | thinking about | thinking of | considering"
    " | i wish | one day | some day | someday | would have been | as if | pretend | for example | for instance | e.g",
    "de": "wenn ich | falls ich | wenn wir | falls wir | angenommen | stell dir vor | stellen sie sich vor"
    " | vielleicht | ich uberlege | ich uberleg | eines tages | zum beispiel",
    "fr": "si je | si j' | si nous | si on | imaginons | imaginez | supposons | peut-etre | je pense a | j'envisage"
    " | un jour | par exemple",
    "es": "si yo | si me | si nos | si algun dia | si alguna vez | imagina | imagine | supongamos | quizas | quiza"
    " | tal vez | estoy pensando en | algun dia | por ejemplo",
    "it": "se io | se mi | se un giorno | se dovessi | immagina | immagini | supponiamo | forse | magari"
    " | sto pensando | un giorno | per esempio",
    "pt": "se eu | se me | se um dia | se alguma vez | imagine | imagina | suponha | talvez | estou a pensar"
    " | estou pensando | um dia | por exemplo",
    "nl": "als ik ooit | als ik | als we | stel dat | stel je voor | misschien | ik overweeg | ooit | bijvoorbeeld",
}
# A condition on the wish, not on the fact.
POLITELY = phrases(
    "if possible | if you can | if you could | if i'm not | if i am not | if we're not | if nobody | if needed | if not"
    " | wenn moglich | si possible | si es posible | se possibile | se possivel | indien mogelijk | als het kan"
)

# It was so.
PAST = {
    "en": "used to | previously | formerly | in the past | back then | back when | at the time | when i was"
    " | as a child | as a kid | years ago | my old | my former | my previous | my last | my ex | no longer"
    " | until recently | had been",
    "de": "fruher | damals | ehemals | in der vergangenheit | als ich klein | als kind | mein altes | meine alte"
    " | mein alter | bis vor kurzem",
    "fr": "avant | autrefois | auparavant | dans le passe | a l'epoque | quand j'etais | mon ancien | mon ancienne"
    " | jusqu'a recemment",
    "es": "antes | antiguamente | en el pasado | cuando era | solia | mi antiguo | mi antigua | mi anterior"
    " | hasta hace poco",
    "it": "prima | una volta | in passato | quando ero | un tempo | il mio vecchio | la mia vecchia | fino a poco fa",
    "pt": "antes | antigamente | no passado | quando era | costumava | o meu antigo | a minha antiga | ate ha pouco",
    "nl": "vroeger | destijds | in het verleden | toen ik | mijn oude | mijn vorige | tot voor kort",
}

# Somebody reports what somebody else said.
REPORTED = {
    "en": "you said | you told | you say | you tell | you mentioned | you wrote | you claimed | you've told"
    " | you have told | your records | your notes | your email says | the email says | the page says | it says"
    " | they said | they told | he said | he says | she said | she says | he told | she told | according to",
    "de": "sie sagten | sie haben gesagt | du hast gesagt | du sagtest | laut | er sagte | er sagt | da steht"
    " | in ihrer mail",
    "fr": "vous avez dit | vous m'avez dit | tu as dit | tu m'as dit | selon | d'apres | il a dit | elle a dit"
    " | il est ecrit",
    "es": "usted dijo | dijiste | me dijo | me dijiste | segun | el dijo | ella dijo | dice que | pone que",
    "it": "lei ha detto | hai detto | mi ha detto | mi hai detto | secondo | ha detto che | c'e scritto",
    "pt": "voce disse | disseste | disse-me | me disse | segundo | ele disse | ela disse | diz que | esta escrito",
    "nl": "u zei | je zei | u heeft gezegd | je hebt gezegd | volgens | hij zei | zij zei | er staat",
}

# People who are not the customer.
PEOPLE = {
    "en": "mother | father | mom | mum | dad | parents | sister | sisters | brother | brothers | son | sons"
    " | daughter | daughters | husband | wife | partner | girlfriend | boyfriend | fiance | fiancee | child"
    " | children | kid | kids | baby | friend | friends | neighbour | neighbours | neighbor | neighbors | colleague"
    " | colleagues | coworker | coworkers | boss | manager | assistant | team | roommate | roommates | flatmate"
    " | uncle | aunt | cousin | cousins | nephew | niece | grandmother | grandfather | grandma | grandpa"
    " | grandparents | in-laws | mother-in-law | father-in-law | family | guest | guests | client | customer | doctor"
    " | teacher | landlord | ex | twin | everyone | everybody | people | somebody | someone | he | she | they",
    "de": "mutter | vater | mama | papa | eltern | schwester | bruder | sohn | tochter | mann | frau | partner"
    " | partnerin | freundin | freund | kind | kinder | nachbar | nachbarin | kollege | kollegin | kollegen | chef"
    " | chefin | onkel | tante | oma | opa | er | jeder | alle",
    "fr": "mere | pere | maman | papa | parents | soeur | frere | fils | fille | mari | femme | compagnon"
    " | compagne | ami | amie | enfant | enfants | voisin | voisine | collegue | collegues | chef | patron | oncle"
    " | tante | il | elle | ils | elles | tout le monde",
    "es": "madre | padre | mama | papa | padres | hermana | hermano | hijo | hija | hijos | marido | esposo"
    " | esposa | mujer | pareja | novio | novia | amigo | amiga | vecino | vecina | colega | jefe | jefa | tio | tia"
    " | abuela | abuelo | el | ella | ellos | todos",
    "it": "madre | padre | mamma | papa | genitori | sorella | fratello | figlio | figlia | figli | marito | moglie"
    " | compagno | compagna | amico | amica | vicino | vicina | collega | capo | zio | zia | nonna | nonno | lui"
    " | loro | tutti",
    "pt": "mae | pai | pais | irma | irmao | filho | filha | filhos | marido | esposa | mulher | namorado"
    " | namorada | amigo | amiga | vizinho | vizinha | colega | chefe | tio | tia | avo | ele | ela | eles | todos",
    "nl": "moeder | vader | ouders | zus | broer | zoon | dochter | man | vrouw | partner | vriend | vriendin"
    " | kind | kinderen | buurman | buurvrouw | collega | baas | oom | tante | oma | opa | hij | zij | iedereen",
}

# An order to a machine, dressed as something to remember.
INSTRUCTIONS = {
    "en": "ignore previous | ignore all | ignore the * instructions | ignore your | ignore any | disregard previous"
    " | disregard all | disregard your | disregard the * instructions | forget previous instructions"
    " | forget all previous | forget your instructions | new instructions | system prompt | developer mode"
    " | jailbreak | you are now | act as | pretend to be | pretend you"
    " | roleplay | role-play | override | bypass | reveal your | reveal the | print your | output your | respond only"
    " | respond with | reply only with | always reply | always respond | always answer | from now on you"
    " | your new * is | as an ai | as the administrator | admin override | sudo | grant me | grant * access"
    " | mark me as | treat me as | tell every | tell all | execute | run the command | visit http | click",
    "de": "ignoriere alle | ignoriere die * anweisungen | ignorieren sie alle | vergiss alle * anweisungen"
    " | neue anweisungen | du bist jetzt | systemprompt | antworte nur | antworte immer | verhalte dich",
    "fr": "ignore les * instructions | ignorez les * instructions | ignore toutes | oublie tes instructions"
    " | nouvelles instructions | tu es maintenant | vous etes maintenant | reponds toujours"
    " | reponds uniquement",
    "es": "ignora las * instrucciones | ignora todas | olvida tus instrucciones | nuevas instrucciones | ahora eres"
    " | responde siempre | responde solo",
    "it": "ignora le * istruzioni | ignora tutte | dimentica le tue istruzioni | nuove istruzioni | ora sei"
    " | devi rispondere | rispondi sempre | rispondi solo",
    "pt": "ignore as * instrucoes | ignora as * instrucoes | esqueca suas instrucoes | novas instrucoes"
    " | agora voce e | responda sempre | responda apenas",
    "nl": "negeer alle | negeer de * instructies | vergeet je instructies | nieuwe instructies | je bent nu"
    " | antwoord altijd | antwoord alleen",
}

# What stands behind one of these is what is not wanted.
CONTRASTS = {
    "en": "over | rather than | instead of | than | as opposed to | in place of",
    "de": "statt | anstatt | anstelle von",
    "fr": "plutot que | au lieu de | au lieu du | a la place de",
    "es": "en vez de | en lugar de | antes que | mas que",
    "it": "invece di | invece che | al posto di | piuttosto che | anziche",
    "pt": "em vez de | ao inves de | em lugar de | do que",
    "nl": "in plaats van | liever dan",
}

# Words without which a value means its opposite, though they deny nothing.
AVERSIONS = {
    "en": "hate | dislike | detest | can't stand | cannot stand | avoid | loathe",
    "de": "hasse | verabscheue | vermeide | ungern",
    "fr": "deteste | hais | evite",
    "es": "odio | detesto | evito",
    "it": "odio | detesto | evito",
    "pt": "odeio | detesto | evito",
    "nl": "haat | vermijd",
}

NUMBERS = {
    "en": "zero | one | two | three | four | five | six | seven | eight | nine | ten | eleven | twelve",
    "de": "null | eins | zwei | drei | vier | funf | sechs | sieben | acht | neun | zehn | elf | zwolf",
    "fr": "zero | un | deux | trois | quatre | cinq | six | sept | huit | neuf | dix | onze | douze",
    "es": "cero | uno | dos | tres | cuatro | cinco | seis | siete | ocho | nueve | diez | once | doce",
    "it": "zero | uno | due | tre | quattro | cinque | sei | sette | otto | nove | dieci | undici | dodici",
    "pt": "zero | um | dois | tres | quatro | cinco | seis | sete | oito | nove | dez | onze | doze",
    "nl": "nul | een | twee | drie | vier | vijf | zes | zeven | acht | negen | tien | elf | twaalf",
}

# The customer takes part in what is said.
SELF = {
    "en": "i | i'm | i've | i'd | i'll | me | we | we're | we've | us",
    "de": "ich | mich | mir | wir | uns",
    "fr": "je | j' | moi | nous | m'",
    "es": "yo | me | nos | nosotros",
    "it": "io | noi",
    "pt": "eu | me | mim | nos",
    "nl": "ik | mij | me | wij | we | ons",
}
