"""What the name of a column says of it, in English and a few words of German, French and Spanish.

A name is a hint and no more: what is proposed from it is told as such, for a person to judge.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Set


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DIRECT = _set("""
    name surname forename firstname lastname fullname username nickname maiden login
    email mail phone telephone tel mobile cellphone fax address street iban ssn nino passport ip url website
    vorname nachname familienname anschrift adresse strasse hausnummer telefon handy svnr steuernummer ausweis
    nom prenom rue courriel nir siret siren nombre apellido apellidos direccion domicilio calle correo
    telefono dni nif nie curp
""")
_OWNERS = _set("""
    person patient client customer household hh family firm company business enterprise establishment
    member respondent participant subject user account employee student pupil citizen insured owner tenant
    donor kunde kunden haushalt betrieb unternehmen konto patienten
    personne menage entreprise cliente paciente hogar empresa persona
""")
_PAPERS = _set("""
    case record row card policy contract file order invoice transaction register registration license licence
    plate tax vat security health fall vertrag akte dossier contrat expediente
""")
_IDENTIFIER = _set("id ids uid pid uuid guid hhid identifier identificador identifiant pseudonym serial")
_NUMBERING = _set("no nr num number nummer numero key code index matricule")
_CLASSES = _set("""
    region country state county city town municipality district department province canton area zone place
    sector industry branch type category class group status code level product brand item occupation job
    land ort stadt gemeinde pays ville commune departement pais ciudad provincia municipio
""")
_WEIGHT = _set(
    "weight weights wgt wt weighting gewicht hochrechnungsfaktor poids ponderation peso ponderacion"
)
_OF_BODIES = _set("body birth kg lb lbs kilo kilos pounds gross net empty vehicle")
_BODIES = _set("height bmi waist korpergrosse grosse taille talla estatura")
_SENSITIVE = _set("""
    diagnosis diagnoses diagnostic disease illness icd hiv aids cancer disability disabled handicap symptom
    therapy medication drug drugs addiction alcohol depression mental psychiatric abortion suicide
    insolvency insolvent bankruptcy bankrupt default defaulted arrears conviction convicted crime criminal
    offence offense prison religion religious faith denomination belief party vote voted political union
    unionised sexuality sexual orientation genetic biometric
    diagnose krankheit behinderung insolvenz konfession vorstrafe partei
    maladie faillite insolvabilite parti syndicat diagnostico enfermedad discapacidad quiebra insolvencia
    partido
""")
_CODES = _set("""
    code codes zip zipcode postcode postal plz postleitzahl cp nace naics sic isco soc nuts lau icd sex gender
    race ethnicity marital nationality citizenship country state county region province canton district
    municipality sector industry branch occupation status type category group geschlecht familienstand beruf
    branche gemeinde kreis sexe profession commune departement sexo provincia municipio ocupacion
""")
_POSTAL = _set("zip zipcode postcode postal plz postleitzahl cp nace naics sic isco nuts lau")
_AMOUNTS = _set("""
    age year born birth income salary wage wages earnings turnover revenue sales profit costs cost price
    amount assets value expenditure spending employees staff size area height weight distance hours days
    balance debt alter jahr einkommen lohn gehalt umsatz gewinn kosten preis betrag beschaftigte
    revenu salaire prix montant edad ano ingresos salario ventas precio importe annee anos
""")
_ENDS = ("id", "nr", "no", "number", "nummer", "name", "code")


def folded(text: str) -> str:
    """Return text in small letters without accents.

    >>> folded("Größe É")
    'grosse e'
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, also where they are written as one.

    >>> words_of("CustomerID"), words_of("firm_id"), words_of("patientno"), words_of("ICD10-Code")
    (('customer', 'id'), ('firm', 'id'), ('patient', 'no'), ('icd', 'code'))
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(part for word in re.findall(r"[^\W\d_]+", folded(parted)) for part in _parts(word))


def _parts(word: str) -> tuple[str, ...]:
    for end in _ENDS:
        start = word.removesuffix(end)
        if start != word and start in _OWNERS | _PAPERS | _CLASSES:
            return start, end
    return (word,)


def _any(name: str, of: Set[str]) -> bool:
    return not of.isdisjoint(words_of(name))


def says_direct(name: str) -> bool:
    """Say whether a name is that of what identifies a person directly: a name, an address, a number."""
    return _any(name, _DIRECT) and not _of_classes(name)


def says_identifier(name: str) -> bool:
    """Say whether a name is that of an identifier, of records or of those to whom they belong."""
    words = words_of(name)
    if not words or _of_classes(name):
        return False
    if {words[0], words[-1]} & _IDENTIFIER or _OWNERS.issuperset(words):
        return True
    return words[-1] in _NUMBERING and _any(name, _OWNERS | _PAPERS)


def says_owner(name: str) -> bool:
    """Say whether a name is that of the identifier of somebody to whom records belong, or a bare "id"."""
    words = set(words_of(name))
    return bool(words & _IDENTIFIER) and (bool(words & _OWNERS) or words <= _IDENTIFIER)


def says_weight(name: str, others: Iterable[str]) -> bool:
    """Say whether a name is that of a survey weight, rather than of what a body weighs."""
    of_body = _any(name, _OF_BODIES | _BODIES) or any(_any(other, _BODIES) for other in others)
    return _any(name, _WEIGHT) and not of_body


def says_sensitive(name: str) -> bool:
    """Say whether a name is that of something that may harm or shame if it becomes known."""
    return _any(name, _SENSITIVE)


def says_code(name: str) -> bool:
    """Say whether a name is that of codes for classes."""
    return _any(name, _CODES) or (_of_classes(name) and _any(name, _IDENTIFIER | _NUMBERING))


def _of_classes(name: str) -> bool:
    """Say whether a name speaks of classes, such as regions, rather than of those who belong to them."""
    return _any(name, _CLASSES - {"code"})


def says_postal(name: str) -> bool:
    """Say whether a name is that of codes of which there are many."""
    return _any(name, _POSTAL)


def says_amount(name: str) -> bool:
    """Say whether a name is that of an amount, of which many records may have one of their own."""
    return _any(name, _AMOUNTS)
