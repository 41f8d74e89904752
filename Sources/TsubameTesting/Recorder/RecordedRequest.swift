// RecordedRequest: compares a request with a recorded one, in whose texts secrets are withheld.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TsubameCore

struct RecordedRequest: Sendable {
    private let method: String
    /// The URL up to the query.
    private let path: String
    private let query: String?
    private let request: HTTPArchive.Request

    init(_ request: HTTPArchive.Request) {
        self.request = request
        method = request.method
        let url = request.url.prefix { $0 != "#" }
        let mark = url.firstIndex(of: "?")
        path = String(url[..<(mark ?? url.endIndex)])
        query = mark.map { String(url[url.index(after: $0)...]) }
    }

    /// The method and the URL, for an error.
    var name: String { "\(method) \(Redaction.standard.url(request.url))" }

    /// How a request differs from this recorded one.
    func differences(from wanted: RecordedRequest, _ matching: Recorder.Matching, withBody: Bool) -> [String] {
        var differences: [String] = []
        if method != wanted.method { differences.append("the method is \(wanted.method)") }
        if !Self.matches(path, wanted.path, split: "/") {
            differences.append("the URL is \(Redaction.standard.url(wanted.path))")
        } else if !matchesQuery(of: wanted, matching) {
            differences.append(
                "the query is \(wanted.query.map { "“\(Redaction.standard.url("?" + $0))”" } ?? "missing")")
        }
        if withBody, let difference = bodyDifference(from: wanted) { differences.append(difference) }
        return differences
    }

    private func matchesQuery(of wanted: RecordedRequest, _ matching: Recorder.Matching) -> Bool {
        guard let mine = query, let others = wanted.query else { return query == wanted.query }
        guard matching == .lenient else { return Self.matches(mine, others, split: "&") }
        let (left, right) = (mine.split(separator: "&").sorted(), others.split(separator: "&").sorted())
        return left.count == right.count && zip(left, right).allSatisfy { Self.matches($0, $1) }
    }

    /// How the body differs; nil if it does not. The values are left out, since they may be secret.
    func bodyDifference(from wanted: RecordedRequest) -> String? {
        guard let mine = request.postData, !mine.text.isEmpty || mine.isIncomplete else {
            return (wanted.request.postData?.text.isEmpty ?? true) ? nil : "the recorded request has no body"
        }
        guard let other = wanted.request.postData, !other.text.isEmpty else { return "the body is missing" }
        guard let (left, right) = mine.bytes.flatMap({ left in other.bytes.map { (left, $0) } }) else {
            return mine == other ? nil : "the body differs"
        }
        // A server may answer before it has read the whole body, of which then only the beginning was sent.
        if mine.isIncomplete {
            let beginning = left + Array(Redaction.placeholder.utf8)
            return Self.matches(beginning, right) ? nil : "the body differs from its beginning, which is recorded"
        }
        if let one = JSONValue(parsing: Data(left)), let two = JSONValue(parsing: Data(right)) {
            return one.firstDifference(from: two, Self.matches).map { "the JSON body differs at \($0)" }
        }
        if mine.mimeType.lowercased().hasPrefix("application/x-www-form-urlencoded") {
            let areEqual = Self.matches(
                String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self), split: "&")
            return areEqual ? nil : "the body differs"
        }
        let (parts, others) = (Self.parts(left), Self.parts(right))
        let areEqual = parts.count == others.count && zip(parts, others).allSatisfy { Self.matches($0, $1) }
        return areEqual ? nil : "the body differs"
    }

    /// How many characters of the URLs agree from the beginning.
    func common(with other: RecordedRequest) -> Int { zip(path.utf8, other.path.utf8).prefix { $0 == $1 }.count }

    /// The parts of a body that is multipart, without their boundary, since each client draws its own. Any other body is
    /// one part.
    private static func parts(_ bytes: [UInt8]) -> [[UInt8]] {
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        guard line.count > 2, line.count <= 72, line.starts(with: "--".utf8), line.count < bytes.count else {
            return [bytes]
        }
        return Data(bytes).split(separator: Array(line), omittingEmptySubsequences: false).map { Array($0) }
    }

    // MARK: Comparison

    /// Whether a text is the recorded one, piece by piece: a withheld value stands for any text, but only for one piece.
    private static func matches(_ recorded: String, _ text: String, split separator: Character) -> Bool {
        let (pieces, others) = (
            recorded.split(separator: separator, omittingEmptySubsequences: false),
            text.split(separator: separator, omittingEmptySubsequences: false)
        )
        return pieces.count == others.count && zip(pieces, others).allSatisfy { matches($0, $1) }
    }

    static func matches(_ recorded: some StringProtocol, _ text: some StringProtocol) -> Bool {
        recorded == text || matches(Array(recorded.utf8), Array(text.utf8))
    }

    /// Whether a text is the recorded one, in which a withheld value stands for any bytes.
    private static func matches(_ recorded: [UInt8], _ text: [UInt8]) -> Bool {
        if recorded == text { return true }
        let parts = Data(recorded).split(separator: Array(Redaction.placeholder.utf8), omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last,
            text.count >= first.count + last.count, text.starts(with: first),
            text.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = text[first.count..<(text.count - last.count)]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: Array(part)) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
