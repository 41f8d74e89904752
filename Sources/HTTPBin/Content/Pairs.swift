// Names and values in the order in which they were sent: a query, a form.
#if Server

struct Pairs: Sendable {
    /// More than any honest request has; behind it the rest is an error, since pairs cost far more than their bytes.
    private static let limit = 100_000

    private(set) var all: [(name: String, value: String)] = []

    init() {}

    /// Reads `application/x-www-form-urlencoded`: `+` is a space, a name without `=` has an empty value,
    /// empty pieces are no pairs.
    init(urlEncoded text: some Collection<UInt8>) throws {
        for piece in text.split(separator: UInt8(ascii: "&")) {
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

    /// The first value of exactly that name.
    func first(_ name: String) -> String? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The first value of that name in any case, which is how httpbin looks up its own parameters.
    func parameter(_ name: String) -> String? {
        all.first { $0.name.lowercased() == name }?.value
    }

    /// The first value of each name.
    var firsts: [(name: String, value: String)] {
        var seen: Set<[UInt8]> = []
        return all.filter { seen.insert(Array($0.name.utf8)).inserted }
    }

    /// One value as a string, several of one name as a list.
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
