// Pairs: names and values of a query or a form, in the order in which they were sent.
#if Server

struct Pairs: Sendable {
    /// No honest request has more pairs. Further pairs are an error, because a pair costs far more memory than its
    /// bytes.
    private static let limit = 100_000

    private(set) var all: [(name: String, value: String)] = []

    init() {}

    /// Reads `application/x-www-form-urlencoded`. A `+` is a space, a name without `=` has an empty value, and empty
    /// pieces are skipped.
    init(urlEncoded text: some Collection<UInt8>) throws {
        // The piece after the last allowed one is not divided, and is one too many.
        for piece in text.split(separator: UInt8(ascii: "&"), maxSplits: Self.limit) {
            let equals = piece.firstIndex(of: UInt8(ascii: "="))
            let name = piece[..<(equals ?? piece.endIndex)]
            let value = equals.map { piece[piece.index(after: $0)...] } ?? piece[piece.endIndex...]
            try append(
                PercentCoding.string(PercentCoding.decode(name, plusIsSpace: true)),
                PercentCoding.string(PercentCoding.decode(value, plusIsSpace: true)))
        }
    }

    mutating func append(_ name: String, _ value: String) throws {
        guard all.count < Self.limit else { throw Problem(413, "more than \(Self.limit) names and values") }
        all.append((name, value))
    }

    /// The first value of exactly this name.
    func first(_ name: String) -> String? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The first value of this name in any case, because httpbin looks up its own parameters so.
    func parameter(_ name: String) -> String? {
        all.first { $0.name.lowercased() == name }?.value
    }

    /// The first value of each name.
    var firsts: [(name: String, value: String)] {
        var seen: Set<[UInt8]> = []
        return all.filter { seen.insert(Array($0.name.utf8)).inserted }
    }

    /// A single value is a string; several values of one name are a list.
    var json: JSON {
        var places: [[UInt8]: Int] = [:]
        var members: [(name: String, values: [JSON])] = []
        for (name, value) in all {
            let key = Array(name.utf8)
            if let place = places[key] {
                members[place].values.append(.string(value))
            } else {
                places[key] = members.count
                members.append((name, [.string(value)]))
            }
        }
        return .object(members.map { ($0.name, $0.values.count == 1 ? $0.values[0] : .array($0.values)) })
    }
}

#endif
