// Answer: a response parsed from its bytes.
#if Server

struct Answer: Sendable {
    struct Malformed: Error {
        let why: String
    }

    enum Framing: Hashable {
        case none, length, chunks, close
    }

    var version = ""
    var status = 0
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The data of each chunk, if the body came in chunks.
    var chunks: [[UInt8]] = []
    var framing = Framing.none
    /// The trailer fields after the chunks.
    var trailers: [(name: String, value: String)] = []

    var text: String {
        String(decoding: body, as: UTF8.self)
    }

    subscript(name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    func all(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The response at the start of the bytes and its length in bytes; nil if more bytes are needed.
    static func parse(_ bytes: [UInt8], toHead: Bool, ended: Bool) throws -> (Answer, Int)? {
        guard let headEnd = end(of: "\r\n\r\n", in: bytes[...]) else { return nil }
        var answer = try Answer(head: String(decoding: bytes[..<headEnd], as: UTF8.self))
        let rest = bytes[headEnd...]
        let isChunked = answer["Transfer-Encoding"] == "chunked"
        if toHead || answer.status < 200 || answer.status == 204 || answer.status == 304 {
            return (answer, headEnd)
        } else if isChunked {
            answer.framing = .chunks
            guard let end = try answer.readChunks(rest) else { return nil }
            return (answer, end)
        } else if let length = answer["Content-Length"] {
            guard let count = Int(length) else { throw Malformed(why: "Content-Length \(length)") }
            answer.framing = .length
            guard rest.count >= count else { return nil }
            answer.body = Array(rest.prefix(count))
            return (answer, headEnd + count)
        }
        answer.framing = .close
        answer.body = Array(rest)
        return ended ? (answer, bytes.count) : nil
    }

    private init(head: String) throws {
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first?.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false),
            first.count >= 2, let status = Int(first[1])
        else { throw Malformed(why: "status line \(lines.first ?? "")") }
        version = String(first[0])
        self.status = status
        for line in lines.dropFirst() { fields.append(try Self.field(line)) }
    }

    private static func field(_ line: Substring) throws -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":") else { throw Malformed(why: "field line \(line)") }
        return (String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " }))
    }

    /// The position after the last chunk; nil if more bytes are needed.
    private mutating func readChunks(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        var rest = bytes
        while true {
            guard let lineEnd = Self.end(of: "\r\n", in: rest) else { return nil }
            let line = String(decoding: rest[..<(lineEnd - 2)], as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw Malformed(why: "chunk size \(line)") }
            if size == 0 { return try readTrailers(rest[lineEnd...]) }
            guard rest[lineEnd...].count >= size + 2 else { return nil }
            let data = Array(rest[lineEnd..<(lineEnd + size)])
            guard rest[(lineEnd + size)...].starts(with: "\r\n".utf8) else { throw Malformed(why: "chunk end") }
            rest = rest[(lineEnd + size + 2)...]
            chunks.append(data)
            body += data
        }
    }

    /// The position after the trailers; nil if more bytes are needed.
    private mutating func readTrailers(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        var rest = bytes
        while let lineEnd = Self.end(of: "\r\n", in: rest) {
            let line = String(decoding: rest[..<(lineEnd - 2)], as: UTF8.self)
            if line.isEmpty { return lineEnd }
            trailers.append(try Self.field(line[...]))
            rest = rest[lineEnd...]
        }
        return nil
    }

    private static func end(of mark: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }
}

#endif
