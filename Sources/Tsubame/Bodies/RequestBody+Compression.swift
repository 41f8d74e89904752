// RequestBody+Compression: bodies that are compressed or chunked when they are sent.

public import TsubameCore
import TsubameWire

extension RequestBody {
    /// The number of bytes of a file that are compressed to see whether it becomes smaller.
    private static let sampledBytes = 256 << 10

    /// The same content, compressed, with the Content-Encoding for it.
    ///
    /// ```swift
    /// try await api.post("events", body: .file("events.jsonl").compressed()).accepted()
    /// ```
    /// Bytes in memory are compressed at once. Files and streams are compressed while they are sent, piece by
    /// piece. They are sent chunked, because their compressed length is not known in advance. The encoder may hold
    /// bytes of a stream until more of them come.
    ///
    /// Few servers decode request bodies. The others usually answer 415 or 400. If the headers of a request set
    /// Content-Encoding, that value is sent. If a coding is not ``ContentCoding/isAvailable``, sending the body
    /// throws ``CallError/Kind/unsupported``.
    /// - Parameters:
    ///   - coding: the content coding.
    ///   - onlyIfSmaller: whether a body that does not become smaller, such as a photo, stays unchanged. The first
    ///     256 KiB of a file decide, or all of a shorter file; they are read now. A stream is always compressed,
    ///     because it cannot be tested.
    public func compressed(by coding: ContentCoding = .gzip, onlyIfSmaller: Bool = false) -> RequestBody {
        if let problem = coding.problem, content != nil { return .failed(problem) }
        switch content {
        case nil, .failed:
            return self
        case .bytes(let bytes):
            guard let result = Self.compressed(bytes, by: coding) else { return .failed(Self.noMemory) }
            if onlyIfSmaller, result.count >= bytes.count { return self }
            return with(content: .bytes(result), length: Int64(result.count), contentCoding: named(coding))
        case .file(let path):
            // The error of a file that cannot be read is thrown when the file is sent.
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

    /// The same content without a declared length. It is sent chunked (RFC 9112 section 7.1), like a body whose
    /// length is not known in advance.
    public func chunked() -> RequestBody {
        switch content {
        case nil, .failed:
            self
        case .bytes(let bytes):
            with(content: .stream(open: { BytesReader(bytes) }, isOneShot: false), length: nil)
        case .file(let path):
            with(content: .stream(open: { FileBodyReader(path) }, isOneShot: false), length: nil)
        case .stream(let open, let isOneShot):
            with(content: .stream(open: open, isOneShot: isOneShot), length: nil)
        case .deferred(let make, let isOneShot):
            with(content: .deferred(make: { make($0).chunked() }, isOneShot: isOneShot), length: nil)
        }
    }

    /// Names the codings in the order in which they were applied.
    private func named(_ coding: ContentCoding) -> String {
        contentCoding.map { "\($0), \(coding.rawValue)" } ?? coding.rawValue
    }

    /// nil if memory ran out.
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

/// Compresses the pieces of another reader.
// Used by one sender at a time, which awaits each `next()` before the following one.
private final class EncodedReader: BodyReader, @unchecked Sendable {
    /// A long piece is compressed in parts of this size, so that few compressed bytes are held in memory.
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
        guard let encoder else { throw RequestBody.noMemory }
        var output: [UInt8] = []
        while output.isEmpty, !isDone {
            if input.count == 0 {
                guard let piece = try await reader.next() else {
                    isDone = true
                    guard encoder.encode(Bytes(), isLast: true, into: &output) else { throw RequestBody.noMemory }
                    break
                }
                input = piece
            }
            let part = input.slice(0..<Self.pieceBytes)
            input = input.slice(part.count..<input.count)
            guard encoder.encode(part, isLast: false, into: &output) else { throw RequestBody.noMemory }
        }
        return Bytes(output)
    }
}

/// Reads a file, which it opens on first use.
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
        // In a chunked or compressed body, missing bytes would not be noticed elsewhere.
        guard piece == nil ? given == file.length : given <= file.length else {
            throw CallError(
                .requestBody,
                "the file \(path) had \(file.length) bytes when it was opened, and its length has changed",
                phase: .sendingBody)
        }
        return piece
    }
}
