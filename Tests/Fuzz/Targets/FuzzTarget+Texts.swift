// FuzzTarget+Texts: URLs, host names, forms and texts in any encoding.

import Foundation
import TsubameCore
import TsubameWire

extension FuzzTarget {
    private static let base = try? TargetURI(parsing: "http://example.test/a/b;c?d=e#f")

    /// Checks that the sent parts of a URL hold no byte that could end the request line, and that it parses to itself.
    private static func requireSafe(_ uri: TargetURI) throws(Finding) {
        for text in [uri.target, uri.authority, uri.host] {
            try require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text.debugDescription) would be sent")
        }
        try require(uri.target.utf8.first == 0x2F, "the target \(uri.target) does not begin with a slash")
        try require(!uri.target.utf8.contains(0x23), "the target \(uri.target) holds a fragment")
        guard let again = try? TargetURI(parsing: uri.string) else { throw Finding("\(uri.string) is not accepted") }
        try requireEqual(again.string, uri.string, "the URL changes when it is parsed again")
        try requireEqual(again.target, uri.target, "the target changes when it is parsed again")
        try requireEqual(again.origin, uri.origin, "the origin changes when it is parsed again")
    }

    static let texts = [
        FuzzTarget("url", upTo: 512) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if let uri = try? TargetURI(parsing: text) { try requireSafe(uri) }
            if let uri = try? TargetURI(parsing: text, keepingDotSegments: true) {
                try require(uri.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(uri.target) would be sent")
            }
            if case .uri(let uri)? = try? base?.resolving(text) { try requireSafe(uri) }
            _ = Redaction.standard.url(text)
        },
        // The bytes are a host name.
        FuzzTarget("host", upTo: 200) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard !text.utf8.contains(where: { "/?#@:\\".utf8.contains($0) }),
                let uri = try? TargetURI(parsing: "http://\(text)/")
            else { return }
            try requireSafe(uri)
            _ = PublicSuffixList.builtIn.publicSuffix(of: uri.host)
        },
        FuzzTarget("form") { bytes in
            let parameters = Parameters.decoding(bytes)
            let encoded = parameters.encoded()
            try require(
                encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the form holds a byte that must be escaped")
            try requireEqual(
                Parameters.decoding(encoded).map { [$0.name, $0.value] }, parameters.map { [$0.name, $0.value] },
                "the form changed")
            _ = try? parameters.decode([String: String].self)
            _ = try? parameters.decode([String: [String: [String]]].self)
        },
        // The first byte chooses the encoding.
        FuzzTarget("charset") { bytes in
            guard let first = bytes.first else { return }
            let charset = Charset.allCases[Int(first) % Charset.allCases.count]
            let content = Array(bytes.dropFirst())
            let whole = charset.decode(content).text
            var decoder = StreamingDecoder(charset)
            let pieces = Cuts.pieces(content).map { decoder.decode($0) }.joined() + decoder.finish()
            let mark = Charset.sniffBOM(content)
            if mark == nil { try requireEqual(whole, pieces, "another cut is another text in \(charset)") }
        },
        FuzzTarget("html") { bytes in
            let text = decodeText(bytes, contentType: "text/html")
            if let strict = try? decodeTextStrictly(bytes, contentType: "text/html") {
                try requireEqual(strict, text, "strict decoding gives another text")
            }
        },
        // The lines and events of the same bytes, in one piece and cut.
        FuzzTarget("events") { bytes in
            let whole = try events(in: [bytes])
            try requireEqual(whole, try events(in: Cuts.pieces(bytes)), "another cut gives other events")
        },
        // The first line is the boundary.
        FuzzTarget("multipart", upTo: 2_048) { bytes in
            let boundary = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            let body = Array(bytes.drop { $0 != 0x0A }.dropFirst())
            guard let parts = try? MultipartParser.parts(of: Bytes(body), boundary: boundary) else { return }
            let total = parts.reduce(0) { $0 + $1.body.count }
            try require(total <= body.count, "the parts hold \(total) bytes of \(body.count)")
            guard MultipartFraming.isBoundary(boundary) else { return }
            for part in parts {
                try require(
                    !String(decoding: Array(part.body), as: UTF8.self).contains("\r\n--\(boundary)\r\n"),
                    "a part holds the boundary")
            }
        },
        // Our own body reads back. The lines of the input are the name, the name of the file and the content.
        FuzzTarget("multipart-encode") { bytes in
            let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
            guard lines.count == 3 else { return }
            let framing = MultipartFraming(boundary: "ab0cd1")
            // Line ends in a name are escaped. Other control characters are sent as they are, as browsers do, and our
            // parser refuses them.
            let names = lines[0] + lines[1]
            guard !names.contains(where: { ($0 < 0x20 && $0 != 0x0D) || $0 == 0x7F }) else { return }
            guard !String(decoding: lines[2], as: UTF8.self).contains("--ab0cd1"),
                let head = try? framing.head(
                    name: String(decoding: lines[0], as: UTF8.self),
                    filename: String(decoding: lines[1], as: UTF8.self),
                    contentType: "text/plain")
            else { return }
            let body = Array(head.utf8) + lines[2] + Array((MultipartFraming.partEnd + framing.end).utf8)
            guard let parts = try? MultipartParser.parts(of: Bytes(body), boundary: framing.boundary) else {
                throw Finding("our own body cannot be read: \(String(decoding: body, as: UTF8.self).debugDescription)")
            }
            try requireEqual(parts.map { Array($0.body) }, [lines[2]], "the content changed")
        },
    ]
}

/// The events in these pieces of a stream, as texts, and then the error, if there is one.
private func events(in pieces: [[UInt8]]) throws -> [String] {
    var splitter = LineSplitter(limit: 300)
    var parser = ServerSentEventParser(limit: 256)
    var found: [String] = []
    func take(_ line: String) throws {
        guard let event = try parser.take(line) else { return }
        try require(event.data.utf8.count <= 256, "an event of \(event.data.utf8.count) bytes")
        try require(!event.id.utf8.contains(0), "an identifier holds a NUL")
        found.append("\(event)")
    }
    do {
        for piece in pieces {
            var position = 0
            func next() throws -> String? {
                try piece.withUnsafeBytes { bytes throws(WireError) in try splitter.next(bytes, &position) }
            }
            while let line = try next() {
                try require(line.utf8.count <= 900, "a line of \(line.utf8.count) bytes")
                try take(line)
            }
            try require(position == piece.count, "\(piece.count - position) bytes are left")
        }
        if let line = splitter.finish() { try take(line) }
    } catch let error as WireError {
        found.append("\(error)")
    }
    return found
}
