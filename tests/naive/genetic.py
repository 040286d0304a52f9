"""The genetic algorithm in plain Python: the same random numbers, and every sum of squares taken anew."""

from __future__ import annotations

MASK = 2**64 - 1


class Chance:
    """The random numbers of splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def number(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        bits = self.state
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
        return ((bits ^ bits >> 31) >> 11) / 2**53

    def below(self, limit):
        return int(self.number() * limit)


def square(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


class Plain:
    """One macrogroup, its records as lists of numbers."""

    def __init__(self, rows, k, seed):
        self.k, self.n = k, len(rows)
        self.pair = [[square(a, b) for b in rows] for a in rows]
        self.limit = self.n // k
        self.chance = Chance(seed)

    def loss(self, labels):
        total = 0.0
        for group in range(max(labels) + 1):
            members = [i for i in range(self.n) if labels[i] == group]
            within = 0.0
            for place, i in enumerate(members):  # as many additions, in the order of the compiled loop
                own = 0.0
                for j in reversed(members[:place]):
                    own += self.pair[i][j]
                within += own
            total += within / len(members)
        return total

    def repaired(self, labels):
        labels = list(labels)
        for group in range(self.limit):
            if 0 < labels.count(group) < self.k:
                toss = self.chance.number() < 0.5
                room = sum(max(2 * self.k - 1 - labels.count(other), 0) for other in set(labels) - {group})
                if toss and room >= labels.count(group):
                    self.dissolve(labels, group)
                else:
                    self.fill(labels, group, None)
        for group in range(self.limit):
            while labels.count(group) >= 2 * self.k:
                free = min(set(range(self.limit)) - set(labels))
                members = [i for i in range(self.n) if labels[i] == group]
                reach = {i: self.total(i, members) for i in members}
                labels[max(members, key=lambda i: (reach[i], -i))] = free
                self.fill(labels, free, group)
        order = list(dict.fromkeys(labels))
        return [order.index(group) for group in labels]

    def total(self, record, members):
        total = 0.0
        for member in members:
            total += self.pair[record][member]
        return total

    def dissolve(self, labels, group):
        for record in range(self.n):
            if labels[record] != group:
                continue
            open_to_it = [
                other for other in sorted(set(labels) - {group}) if labels.count(other) < 2 * self.k - 1
            ]

            def distance(other, record=record):
                members = [i for i in range(self.n) if labels[i] == other]
                return self.total(record, members) / len(members)

            labels[record] = min(open_to_it, key=distance)

    def fill(self, labels, group, giver):
        members = [i for i in range(self.n) if labels[i] == group]
        while len(members) < self.k:
            offered = [
                i
                for i in range(self.n)
                if (labels[i] == giver if giver is not None else labels.count(labels[i]) > self.k)
            ]
            nearest = min(offered, key=lambda i: self.total(i, members))
            labels[nearest] = group
            members.append(nearest)

    def evolve(self, start, population, crossover, mutation, iterations):
        """Return the groups of the best chromosome in the end."""
        living = []
        for number in range(population):
            given = start is not None and number == 0
            genes = start if given else [self.chance.below(self.limit) for _ in range(self.n)]
            living.append(self.repaired(genes))
        losses = [self.loss(genes) for genes in living]
        for _ in range(iterations):
            wheel, turned = [], 0.0
            for loss in losses:
                turned += 1.0 / (loss + 1.0)
                wheel.append(turned)
            for _ in range(0, population, 2):
                self.breed(living, losses, wheel, crossover, mutation)
        return living[losses.index(min(losses))]

    def parent(self, wheel):
        at = self.chance.number() * wheel[-1]
        return next((a for a, edge in enumerate(wheel) if at < edge), len(wheel) - 1)

    def breed(self, living, losses, wheel, crossover, mutation):
        mother, father = self.parent(wheel), self.parent(wheel)
        cut = self.n
        if self.chance.number() < crossover:
            cut = 1 + self.chance.below(self.n - 1)
        crossed = cut < self.n and mother != father
        children = [
            living[mother][:cut] + living[father][cut:],
            living[father][:cut] + living[mother][cut:],
        ]
        for child in children:
            mutated = self.chance.number() < mutation
            if mutated:
                gene = self.chance.below(self.n)
                child[gene] = self.chance.below(self.limit)
            if not (crossed or mutated):
                continue
            repaired = self.repaired(child)
            loss = self.loss(repaired)
            if loss not in losses and loss < max(losses):
                worst = losses.index(max(losses))
                living[worst], losses[worst] = repaired, loss
