// MultipartContent: a multipart body as the stretches in which it is sent.

import TsubameCore
import TsubameWire

/// The content of a ``MultipartForm``: bytes in memory, and files and streams that are read while they are sent.
struct MultipartContent {
    /// One stretch of the body.
    fileprivate enum Stretch: Sendable {
        case bytes(Bytes)
        case file(path: String, length: Int64)
        case stream(open: @Sendable () -> any BodyReader, length: Int64?, name: String)
    }

    /// A form in memory up to this size is one piece, so that its compressed length is known before it is sent.
    private static let wholeBytes: Int64 = 1 << 20
    /// Parts up to this size are copied beside their heads, so that a form of short fields is one piece.
    private static let smallBytes = 32 << 10

    private let framing: MultipartFraming
    private var stretches: [Stretch] = []
    /// Bytes that come before the next stretch.
    private var pending: [UInt8] = []
    /// The length in bytes; nil if it is not known.
    private var length: Int64? = 0
    private var isOneShot = false

    /// - Parameter boundary: the boundary; by default a random one.
    /// - Throws: ``CallError/Kind/requestBody`` if a file cannot be read, ``CallError/Kind/invalidRequest``, or the
    ///   error with which a part's body failed.
    init(_ form: MultipartForm, boundary: String? = nil) throws(CallError) {
        if let boundary, !MultipartFraming.isBoundary(boundary) {
            throw CallError(
                .invalidRequest,
                "the boundary is invalid: it must be 1 to 70 letters, digits, spaces and '()+_,-./:=?, "
                    + "without a space at its end")
        }
        framing = boundary.map { MultipartFraming(boundary: $0) } ?? MultipartFraming()
        for part in form.parts {
            do throws(WireError) {
                add(
                    try framing.head(name: part.name, filename: part.filename, contentType: part.body.contentType))
            } catch {
                throw CallError(error.kind, error.description)
            }
            try add(part)
            add(MultipartFraming.partEnd)
        }
        add(framing.end)
        flush()
    }

    var body: RequestBody {
        if let whole { return .bytes(whole, contentType: framing.contentType) }
        let stretches = stretches
        return RequestBody(
            .stream(open: { MultipartReader(stretches) }, isOneShot: isOneShot), contentType: framing.contentType,
            length: length)
    }

    /// The whole form, if it is short and nothing of it has to be read first.
    private var whole: Bytes? {
        let pieces = stretches.compactMap { stretch in
            if case .bytes(let bytes) = stretch { bytes } else { nil }
        }
        guard pieces.count == stretches.count else { return nil }
        if pieces.count == 1 { return pieces[0] }
        guard let length, length <= Self.wholeBytes else { return nil }
        var all: [UInt8] = []
        all.reserveCapacity(Int(length))
        for piece in pieces { piece.withUnsafeBytes { all.append(contentsOf: $0) } }
        return Bytes(all)
    }

    private mutating func add(_ text: String) { pending.append(contentsOf: text.utf8) }

    private mutating func add(_ part: MultipartForm.Part) throws(CallError) {
        // A part has no field for either (RFC 7578 section 4.8).
        if part.body.contentCoding != nil || part.body.trailers != nil {
            let what = part.body.contentCoding != nil ? "be compressed" : "have trailers"
            throw CallError(
                .invalidRequest, "a part of a form cannot \(what): \"\(part.name)\"",
                advice: "compress the whole form, or give the trailers to it")
        }
        switch part.body.content {
        case nil: break
        case .bytes(let bytes) where bytes.count <= Self.smallBytes: pending.append(contentsOf: bytes)
        case .bytes(let bytes): try add(.bytes(bytes), length: Int64(bytes.count))
        case .file(let path):
            let length = try FileReader.length(of: path)
            try add(.file(path: path, length: length), length: length)
        case .stream(let open, let isOneShot):
            let length = part.body.length
            self.isOneShot = self.isOneShot || isOneShot
            try add(.stream(open: open, length: length, name: part.name), length: length)
        case .deferred:
            try add(MultipartForm.Part(name: part.name, filename: part.filename, body: part.body.resolved(by: nil)))
        case .failed(let error): throw error
        }
    }

    private mutating func add(_ stretch: Stretch, length: Int64?) throws(CallError) {
        flush()
        stretches.append(stretch)
        guard let known = self.length, let length else { return self.length = nil }
        let (sum, overflow) = known.addingReportingOverflow(length)
        guard !overflow else { throw CallError(.requestBody, "the parts together are longer than 2^63 bytes") }
        self.length = sum
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        stretches.append(.bytes(Bytes(pending)))
        length = length.map { $0 &+ Int64(pending.count) }
        pending = []
    }
}

/// Gives the stretches one after the other, each in pieces.
// Used by one sender at a time, which awaits each `next()` before the following one.
private final class MultipartReader: BodyReader, @unchecked Sendable {
    private static let pieceBytes = 64 << 10

    private var stretches: ArraySlice<MultipartContent.Stretch>
    /// The reader of the first stretch, and how many of its bytes were given.
    private var reader: (any BodyReader)?
    private var given: Int64 = 0

    init(_ stretches: [MultipartContent.Stretch]) { self.stretches = stretches[...] }

    func next() async throws -> Bytes? {
        while let stretch = stretches.first {
            if let piece = try await piece(of: stretch), piece.count > 0 {
                given += Int64(piece.count)
                try check(stretch, isAtEnd: false)
                return piece
            }
            try check(stretch, isAtEnd: true)
            stretches.removeFirst()
            (reader, given) = (nil, 0)
        }
        return nil
    }

    private func piece(of stretch: MultipartContent.Stretch) async throws -> Bytes? {
        switch stretch {
        case .bytes(let bytes):
            let start = Int(given)
            return start < bytes.count ? bytes.slice(start..<min(bytes.count, start + Self.pieceBytes)) : nil
        case .file(let path, _):
            if reader == nil { reader = try await FileReader.open(path) }
        case .stream(let open, _, _):
            if reader == nil { reader = open() }
        }
        // A stream may give an empty piece before its end.
        while let piece = try await reader?.next() {
            if piece.count > 0 { return piece }
        }
        return nil
    }

    /// Checks that a part has the length with which it was counted; otherwise the server could not find the parts
    /// after it.
    private func check(_ stretch: MultipartContent.Stretch, isAtEnd: Bool) throws(CallError) {
        let (length, what): (Int64?, String)
        switch stretch {
        case .bytes: return
        case .file(let path, let counted): (length, what) = (counted, "the file \(path)")
        case .stream(_, let declared, let name): (length, what) = (declared, "the part \"\(name)\"")
        }
        guard let length, isAtEnd ? given != length : given > length else { return }
        throw CallError(
            .requestBody,
            "\(what) had \(length) bytes when the body was made, and has \(isAtEnd ? "" : "at least ")\(given)",
            phase: .sendingBody)
    }
}
