// Bodies that are compressed, or chunked, on their way out.

public import TsubameCore
import TsubameEngine
import TsubameWire

extension Body {
    /// How much of a file is looked at to tell whether it becomes smaller.
    private static let sampledBytes = 256 << 10

    /// The same content, compressed, and `Content-Encoding` named for it.
    ///
    /// ```swift
    /// try await api.post("events", body: .file(path: "events.jsonl").compressed()).accepted()
    /// ```
    /// Bytes are compressed at once. Files and streams are compressed while they are sent, piece by piece, chunked since
    /// nobody knows their length before; what a stream gives may stay with the encoder until more of it comes. Few servers
    /// undo codings unasked: those that do not usually answer 415, or 400. If a request's fields name a Content-Encoding
    /// themselves, that one is sent. A coding that is not ``ContentCoding/isAvailable`` is kept in the body and thrown
    /// when it is sent, as ``CallError/Kind/unsupported``.
    /// - Parameters:
    ///   - coding: how.
    ///   - onlyIfSmaller: whether a body that does not become smaller, such as a photo, stays as it is. A file is judged
    ///     by its first 256 KiB, which are read now (all of a shorter one); a stream cannot be, and is compressed.
    public func compressed(by coding: ContentCoding = .gzip, onlyIfSmaller: Bool = false) -> Body {
        if let problem = coding.problem, content != nil { return .failed(problem) }
        switch content {
        case nil, .failed:
            return self
        case .bytes(let bytes):
            guard let result = Self.compressed(bytes, by: coding) else { return .failed(Self.noMemory) }
            if onlyIfSmaller, result.count >= bytes.count { return self }
            return with(content: .bytes(result), length: Int64(result.count), contentCoding: named(coding))
        case .file(let path):
            // One that cannot be read is told of when it is sent.
            if onlyIfSmaller, let sample = try? FileReader.beginning(of: path, count: Self.sampledBytes) {
                guard let result = Self.compressed(sample, by: coding), result.count < sample.count else {
                    return self
                }
                if sample.count < Self.sampledBytes {
                    return with(content: .bytes(result), length: Int64(result.count), contentCoding: named(coding))
                }
            }
            return with(
                content: .stream(open: { EncodedReader(FileBodyReader(path), coding) }, isOneShot: false),
                length: nil, contentCoding: named(coding))
        case .stream(let open, let isOneShot):
            return with(
                content: .stream(open: { EncodedReader(open(), coding) }, isOneShot: isOneShot), length: nil,
                contentCoding: named(coding))
        case .deferred(let make, let isOneShot):
            return with(
                content: .deferred(
                    make: { make($0).compressed(by: coding, onlyIfSmaller: onlyIfSmaller) }, isOneShot: isOneShot),
                length: nil)
        }
    }

    /// The same content without a length that is declared: it goes chunked (RFC 9112 section 7.1), as a body does whose
    /// length nobody knows beforehand.
    public func chunked() -> Body {
        switch content {
        case nil, .failed:
            self
        case .bytes(let bytes):
            with(content: .stream(open: { PieceReader(bytes) }, isOneShot: false), length: nil)
        case .file(let path):
            with(content: .stream(open: { FileBodyReader(path) }, isOneShot: false), length: nil)
        case .stream(let open, let isOneShot):
            with(content: .stream(open: open, isOneShot: isOneShot), length: nil)
        case .deferred(let make, let isOneShot):
            with(content: .deferred(make: { make($0).chunked() }, isOneShot: isOneShot), length: nil)
        }
    }

    /// Codings are named in the order in which they were applied.
    private func named(_ coding: ContentCoding) -> String {
        contentCoding.map { "\($0), \(coding.rawValue)" } ?? coding.rawValue
    }

    /// nil if there is no memory for it.
    private static func compressed(_ bytes: Bytes, by coding: ContentCoding) -> Bytes? {
        guard let encoder = coding.encoder else { return nil }
        var output: [UInt8] = []
        var offset = 0
        repeat {
            let piece = bytes.slice(offset..<min(bytes.count, offset + EncodedReader.pieceBytes))
            offset += piece.count
            guard encoder.encode(piece, isLast: offset >= bytes.count, into: &output) else { return nil }
        } while offset < bytes.count
        return Bytes(output)
    }

    fileprivate static var noMemory: CallError {
        CallError(.requestBody, "there is no memory to compress the body", phase: .preparing)
    }
}

/// Compresses what another reader gives.
// Used by one sender at a time, which awaits each `next()` before the following one.
private final class EncodedReader: BodyReader, @unchecked Sendable {
    /// A long piece is compressed in parts, so that no more than this is held compressed.
    static let pieceBytes = 128 << 10

    private let reader: any BodyReader
    private let coding: ContentCoding
    private var encoder: (any ContentEncoder)?
    private var input = Bytes()
    private var isDone = false

    init(_ reader: any BodyReader, _ coding: ContentCoding) {
        self.reader = reader
        self.coding = coding
    }

    func next() async throws -> Bytes? {
        guard !isDone else { return nil }
        if encoder == nil { encoder = coding.encoder }
        guard let encoder else { throw Body.noMemory }
        var output: [UInt8] = []
        while output.isEmpty, !isDone {
            if input.count == 0 {
                guard let piece = try await reader.next() else {
                    isDone = true
                    guard encoder.encode(Bytes(), isLast: true, into: &output) else { throw Body.noMemory }
                    break
                }
                input = piece
            }
            let part = input.slice(0..<Self.pieceBytes)
            input = input.slice(part.count..<input.count)
            guard encoder.encode(part, isLast: false, into: &output) else { throw Body.noMemory }
        }
        return Bytes(output)
    }
}

/// A file that is opened when it is first asked for.
// Used by one sender at a time, which awaits each `next()` before the following one.
private final class FileBodyReader: BodyReader, @unchecked Sendable {
    private let path: String
    private var file: FileReader?
    private var given: Int64 = 0

    init(_ path: String) { self.path = path }

    func next() async throws -> Bytes? {
        if file == nil { file = try await FileReader.open(path) }
        guard let file else { return nil }
        let piece = try await file.next()
        given += Int64(piece?.count ?? 0)
        // Chunked or compressed, nobody else would see that something is missing.
        guard piece == nil ? given == file.length : given <= file.length else {
            throw CallError(
                .requestBody, "the file \(path) had \(file.length) bytes when it was opened, and has others now",
                phase: .sendingBody)
        }
        return piece
    }
}

/// Bytes in memory, in pieces.
// Used by one sender at a time, which awaits each `next()` before the following one.
private final class PieceReader: BodyReader, @unchecked Sendable {
    private static let pieceBytes = 64 << 10

    private var rest: Bytes

    init(_ bytes: Bytes) { rest = bytes }

    func next() async throws -> Bytes? {
        guard rest.count > 0 else { return nil }
        let piece = rest.slice(0..<Self.pieceBytes)
        rest = rest.slice(piece.count..<rest.count)
        return piece
    }
}
