# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""`client.max.audit_query(...)`: every protocol as a property of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..async_client import AsyncClient
    from ..client import Client
    from .aegis import AsyncAegis, Aegis
    from .arsenal import AsyncArsenal, Arsenal
    from .mace import AsyncMace, Mace
    from .macs import AsyncMacs, Macs
    from .made import AsyncMade, Made
    from .maestro import AsyncMaestro, Maestro
    from .mage import AsyncMage, Mage
    from .magi import AsyncMagi, Magi
    from .maker import AsyncMaker, Maker
    from .mame import AsyncMame, Mame
    from .mana import AsyncMana, Mana
    from .mantic import AsyncMantic, Mantic
    from .mantle import AsyncMantle, Mantle
    from .marc import AsyncMarc, Marc
    from .mare import AsyncMare, Mare
    from .mari import AsyncMari, Mari
    from .market import AsyncMarket, Market
    from .mars import AsyncMars, Mars
    from .mat import AsyncMat, Mat
    from .mata import AsyncMata, Mata
    from .mausoleum import AsyncMausoleum, Mausoleum
    from .maven import AsyncMaven, Maven
    from .max import AsyncMax, Max
    from .maxim import AsyncMaxim, Maxim
    from .maze import AsyncMaze, Maze
    from .meal import AsyncMeal, Meal
    from .merit import AsyncMerit, Merit
    from .mim import AsyncMim, Mim
    from .mimesis import AsyncMimesis, Mimesis
    from .mind import AsyncMind, Mind
    from .moat import AsyncMoat, Moat
    from .moment import AsyncMoment, Moment
    from .moon import AsyncMoon, Moon
    from .moot import AsyncMoot, Moot
    from .mote import AsyncMote, Mote
    from .motet import AsyncMotet, Motet
    from .motif import AsyncMotif, Motif
    from .oas import AsyncOas, Oas


class ProtocolClients:
    """Every protocol by its lower-case name."""

    @property
    def aegis(self) -> Aegis:
        """Delegation: give another identity part of your authority, never more than you hold."""
        from .aegis import Aegis

        return Aegis(cast("Client", self))

    @property
    def arsenal(self) -> Arsenal:
        """The catalogue of tools and skills: signed by their publishers, pinned by digest."""
        from .arsenal import Arsenal

        return Arsenal(cast("Client", self))

    @property
    def mace(self) -> Mace:
        """Councils: an organization decides as a whole by motions, votes and verdicts."""
        from .mace import Mace

        return Mace(cast("Client", self))

    @property
    def macs(self) -> Macs:
        """Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles."""
        from .macs import Macs

        return Macs(cast("Client", self))

    @property
    def made(self) -> Made:
        """What can be owned, who owes what to whom, and the ledger in which it is paid."""
        from .made import Made

        return Made(cast("Client", self))

    @property
    def maestro(self) -> Maestro:
        """Planning: missions with their limits, goals broken into tasks with times and people, and replanning."""
        from .maestro import Maestro

        return Maestro(cast("Client", self))

    @property
    def mage(self) -> Mage:
        """Artifacts: drafted in versions, published immutably, with signed provenance."""
        from .mage import Mage

        return Mage(cast("Client", self))

    @property
    def magi(self) -> Magi:
        """Why something happened: traced to its root causes in the signed audit log, with counterfactuals."""
        from .magi import Magi

        return Magi(cast("Client", self))

    @property
    def maker(self) -> Maker:
        """Actions with external effects: authorised, supervised while they run, and provably stopped."""
        from .maker import Maker

        return Maker(cast("Client", self))

    @property
    def mame(self) -> Mame:
        """Edit memories, and redact what must be forgotten."""
        from .mame import Mame

        return Mame(cast("Client", self))

    @property
    def mana(self) -> Mana:
        """The treasury: what is left, who may spend how much of it, and work put out to tender."""
        from .mana import Mana

        return Mana(cast("Client", self))

    @property
    def mantic(self) -> Mantic:
        """Questions, forecasts of them, and calibration of probabilities."""
        from .mantic import Mantic

        return Mantic(cast("Client", self))

    @property
    def mantle(self) -> Mantle:
        """Consolidation: repeated experience becomes knowledge, unused memories are archived."""
        from .mantle import Mantle

        return Mantle(cast("Client", self))

    @property
    def marc(self) -> Marc:
        """Reasoning within a budget: proofs from premises, and causal analysis of published models."""
        from .marc import Marc

        return Marc(cast("Client", self))

    @property
    def mare(self) -> Mare:
        """Risk in money and on a scale of 0 to 100."""
        from .mare import Mare

        return Mare(cast("Client", self))

    @property
    def mari(self) -> Mari:
        """Research: questions answered from what the organization keeps, with a citation for every sentence."""
        from .mari import Mari

        return Mari(cast("Client", self))

    @property
    def market(self) -> Market:
        """Order books where published assets are traded: by price, then by time, paid in the same moment."""
        from .market import Market

        return Market(cast("Client", self))

    @property
    def mars(self) -> Mars:
        """The registry: who and what exists, signed, content-addressed, and never lost."""
        from .mars import Mars

        return Mars(cast("Client", self))

    @property
    def mat(self) -> Mat:
        """Tools: those of other MCP servers and A2A agents, once approved as they are, every operation of this engine, and functions of the callers themselves."""
        from .mat import Mat

        return Mat(cast("Client", self))

    @property
    def mata(self) -> Mata:
        """Opinion pooling, and weights of sources by their track record."""
        from .mata import Mata

        return Mata(cast("Client", self))

    @property
    def mausoleum(self) -> Mausoleum:
        """Dissolution: wind up an organization and seal its audit log without deleting it."""
        from .mausoleum import Mausoleum

        return Mausoleum(cast("Client", self))

    @property
    def maven(self) -> Maven:
        """Signed claims with evidence, their citations and contradictions."""
        from .maven import Maven

        return Maven(cast("Client", self))

    @property
    def max(self) -> Max:
        """The record: every decision, allowed or refused, provable offline."""
        from .max import Max

        return Max(cast("Client", self))

    @property
    def maxim(self) -> Maxim:
        """Policies: the Cedar rules of an organization, evaluated on every call."""
        from .maxim import Maxim

        return Maxim(cast("Client", self))

    @property
    def maze(self) -> Maze:
        """The map of the mesh, and proofs that its audit log was never changed."""
        from .maze import Maze

        return Maze(cast("Client", self))

    @property
    def meal(self) -> Meal:
        """Metering and billing: every call counted once, priced exactly, and provable from the chain alone."""
        from .meal import Meal

        return Meal(cast("Client", self))

    @property
    def merit(self) -> Merit:
        """Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions."""
        from .merit import Merit

        return Merit(cast("Client", self))

    @property
    def mim(self) -> Mim:
        """Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents."""
        from .mim import Mim

        return Mim(cast("Client", self))

    @property
    def mimesis(self) -> Mimesis:
        """Precedent: find recurring decisions of an organization and propose policies from them."""
        from .mimesis import Mimesis

        return Mimesis(cast("Client", self))

    @property
    def mind(self) -> Mind:
        """Memory of an organization: working, episodic, semantic and procedural."""
        from .mind import Mind

        return Mind(cast("Client", self))

    @property
    def moat(self) -> Moat:
        """Treaties: the only way one organization may call another."""
        from .moat import Moat

        return Moat(cast("Client", self))

    @property
    def moment(self) -> Moment:
        """State at one instant, and whether service level objectives are met."""
        from .moment import Moment

        return Moment(cast("Client", self))

    @property
    def moon(self) -> Moon:
        """Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes."""
        from .moon import Moon

        return Moon(cast("Client", self))

    @property
    def moot(self) -> Moot:
        """Disputes between agents and organizations, decided by replaying the audit logs of both."""
        from .moot import Moot

        return Moot(cast("Client", self))

    @property
    def mote(self) -> Mote:
        """Sensors and actuators of devices that speak MQTT, each inside what its device declares safe."""
        from .mote import Mote

        return Mote(cast("Client", self))

    @property
    def motet(self) -> Motet:
        """Measurements: metrics, logs and spans that agents emit."""
        from .motet import Motet

        return Motet(cast("Client", self))

    @property
    def motif(self) -> Motif:
        """Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts."""
        from .motif import Motif

        return Motif(cast("Client", self))

    @property
    def oas(self) -> Oas:
        """Identity documents of the open standard, fetched from its node and verified here."""
        from .oas import Oas

        return Oas(cast("Client", self))


class AsyncProtocolClients:
    """Every protocol by its lower-case name."""

    @property
    def aegis(self) -> AsyncAegis:
        """Delegation: give another identity part of your authority, never more than you hold."""
        from .aegis import AsyncAegis

        return AsyncAegis(cast("AsyncClient", self))

    @property
    def arsenal(self) -> AsyncArsenal:
        """The catalogue of tools and skills: signed by their publishers, pinned by digest."""
        from .arsenal import AsyncArsenal

        return AsyncArsenal(cast("AsyncClient", self))

    @property
    def mace(self) -> AsyncMace:
        """Councils: an organization decides as a whole by motions, votes and verdicts."""
        from .mace import AsyncMace

        return AsyncMace(cast("AsyncClient", self))

    @property
    def macs(self) -> AsyncMacs:
        """Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles."""
        from .macs import AsyncMacs

        return AsyncMacs(cast("AsyncClient", self))

    @property
    def made(self) -> AsyncMade:
        """What can be owned, who owes what to whom, and the ledger in which it is paid."""
        from .made import AsyncMade

        return AsyncMade(cast("AsyncClient", self))

    @property
    def maestro(self) -> AsyncMaestro:
        """Planning: missions with their limits, goals broken into tasks with times and people, and replanning."""
        from .maestro import AsyncMaestro

        return AsyncMaestro(cast("AsyncClient", self))

    @property
    def mage(self) -> AsyncMage:
        """Artifacts: drafted in versions, published immutably, with signed provenance."""
        from .mage import AsyncMage

        return AsyncMage(cast("AsyncClient", self))

    @property
    def magi(self) -> AsyncMagi:
        """Why something happened: traced to its root causes in the signed audit log, with counterfactuals."""
        from .magi import AsyncMagi

        return AsyncMagi(cast("AsyncClient", self))

    @property
    def maker(self) -> AsyncMaker:
        """Actions with external effects: authorised, supervised while they run, and provably stopped."""
        from .maker import AsyncMaker

        return AsyncMaker(cast("AsyncClient", self))

    @property
    def mame(self) -> AsyncMame:
        """Edit memories, and redact what must be forgotten."""
        from .mame import AsyncMame

        return AsyncMame(cast("AsyncClient", self))

    @property
    def mana(self) -> AsyncMana:
        """The treasury: what is left, who may spend how much of it, and work put out to tender."""
        from .mana import AsyncMana

        return AsyncMana(cast("AsyncClient", self))

    @property
    def mantic(self) -> AsyncMantic:
        """Questions, forecasts of them, and calibration of probabilities."""
        from .mantic import AsyncMantic

        return AsyncMantic(cast("AsyncClient", self))

    @property
    def mantle(self) -> AsyncMantle:
        """Consolidation: repeated experience becomes knowledge, unused memories are archived."""
        from .mantle import AsyncMantle

        return AsyncMantle(cast("AsyncClient", self))

    @property
    def marc(self) -> AsyncMarc:
        """Reasoning within a budget: proofs from premises, and causal analysis of published models."""
        from .marc import AsyncMarc

        return AsyncMarc(cast("AsyncClient", self))

    @property
    def mare(self) -> AsyncMare:
        """Risk in money and on a scale of 0 to 100."""
        from .mare import AsyncMare

        return AsyncMare(cast("AsyncClient", self))

    @property
    def mari(self) -> AsyncMari:
        """Research: questions answered from what the organization keeps, with a citation for every sentence."""
        from .mari import AsyncMari

        return AsyncMari(cast("AsyncClient", self))

    @property
    def market(self) -> AsyncMarket:
        """Order books where published assets are traded: by price, then by time, paid in the same moment."""
        from .market import AsyncMarket

        return AsyncMarket(cast("AsyncClient", self))

    @property
    def mars(self) -> AsyncMars:
        """The registry: who and what exists, signed, content-addressed, and never lost."""
        from .mars import AsyncMars

        return AsyncMars(cast("AsyncClient", self))

    @property
    def mat(self) -> AsyncMat:
        """Tools: those of other MCP servers and A2A agents, once approved as they are, every operation of this engine, and functions of the callers themselves."""
        from .mat import AsyncMat

        return AsyncMat(cast("AsyncClient", self))

    @property
    def mata(self) -> AsyncMata:
        """Opinion pooling, and weights of sources by their track record."""
        from .mata import AsyncMata

        return AsyncMata(cast("AsyncClient", self))

    @property
    def mausoleum(self) -> AsyncMausoleum:
        """Dissolution: wind up an organization and seal its audit log without deleting it."""
        from .mausoleum import AsyncMausoleum

        return AsyncMausoleum(cast("AsyncClient", self))

    @property
    def maven(self) -> AsyncMaven:
        """Signed claims with evidence, their citations and contradictions."""
        from .maven import AsyncMaven

        return AsyncMaven(cast("AsyncClient", self))

    @property
    def max(self) -> AsyncMax:
        """The record: every decision, allowed or refused, provable offline."""
        from .max import AsyncMax

        return AsyncMax(cast("AsyncClient", self))

    @property
    def maxim(self) -> AsyncMaxim:
        """Policies: the Cedar rules of an organization, evaluated on every call."""
        from .maxim import AsyncMaxim

        return AsyncMaxim(cast("AsyncClient", self))

    @property
    def maze(self) -> AsyncMaze:
        """The map of the mesh, and proofs that its audit log was never changed."""
        from .maze import AsyncMaze

        return AsyncMaze(cast("AsyncClient", self))

    @property
    def meal(self) -> AsyncMeal:
        """Metering and billing: every call counted once, priced exactly, and provable from the chain alone."""
        from .meal import AsyncMeal

        return AsyncMeal(cast("AsyncClient", self))

    @property
    def merit(self) -> AsyncMerit:
        """Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions."""
        from .merit import AsyncMerit

        return AsyncMerit(cast("AsyncClient", self))

    @property
    def mim(self) -> AsyncMim:
        """Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents."""
        from .mim import AsyncMim

        return AsyncMim(cast("AsyncClient", self))

    @property
    def mimesis(self) -> AsyncMimesis:
        """Precedent: find recurring decisions of an organization and propose policies from them."""
        from .mimesis import AsyncMimesis

        return AsyncMimesis(cast("AsyncClient", self))

    @property
    def mind(self) -> AsyncMind:
        """Memory of an organization: working, episodic, semantic and procedural."""
        from .mind import AsyncMind

        return AsyncMind(cast("AsyncClient", self))

    @property
    def moat(self) -> AsyncMoat:
        """Treaties: the only way one organization may call another."""
        from .moat import AsyncMoat

        return AsyncMoat(cast("AsyncClient", self))

    @property
    def moment(self) -> AsyncMoment:
        """State at one instant, and whether service level objectives are met."""
        from .moment import AsyncMoment

        return AsyncMoment(cast("AsyncClient", self))

    @property
    def moon(self) -> AsyncMoon:
        """Durable workflows: every step is a dispatched call that takes effect once, even if an engine crashes."""
        from .moon import AsyncMoon

        return AsyncMoon(cast("AsyncClient", self))

    @property
    def moot(self) -> AsyncMoot:
        """Disputes between agents and organizations, decided by replaying the audit logs of both."""
        from .moot import AsyncMoot

        return AsyncMoot(cast("AsyncClient", self))

    @property
    def mote(self) -> AsyncMote:
        """Sensors and actuators of devices that speak MQTT, each inside what its device declares safe."""
        from .mote import AsyncMote

        return AsyncMote(cast("AsyncClient", self))

    @property
    def motet(self) -> AsyncMotet:
        """Measurements: metrics, logs and spans that agents emit."""
        from .motet import AsyncMotet

        return AsyncMotet(cast("AsyncClient", self))

    @property
    def motif(self) -> AsyncMotif:
        """Measurements over time: windows, repeating patterns, anomalies, changepoints and alerts."""
        from .motif import AsyncMotif

        return AsyncMotif(cast("AsyncClient", self))

    @property
    def oas(self) -> AsyncOas:
        """Identity documents of the open standard, fetched from its node and verified here."""
        from .oas import AsyncOas

        return AsyncOas(cast("AsyncClient", self))
