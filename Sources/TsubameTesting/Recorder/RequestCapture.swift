// RequestCapture: the body of a request for its record, while or before it is sent.

internal import Synchronization
internal import Tsubame
internal import TsubameCore

/// Holds the bytes of a request's body.
final class RequestCapture: Sendable {
    private struct State: Sendable {
        /// nil for no body.
        var content: GatheredBytes?
        var isWhole: Bool
        /// The reader whose bytes count. A body may be opened again while an earlier reader still waits for a piece.
        var reader = 0
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - bytes: nil for no body.
    ///   - isWhole: whether no more bytes will be added.
    init(_ bytes: Bytes?, isWhole: Bool = true) {
        let content = bytes.map { bytes in
            var content = GatheredBytes()
            content.append(bytes)
            return content
        }
        state = Mutex(State(content: content, isWhole: isWhole))
    }

    /// nil for no body.
    func bytes() throws(CallError) -> Bytes? {
        guard let content = state.withLock({ $0.content }) else { return nil }
        guard content.count <= Recorder.longestBody else { throw Self.tooLong }
        return content.joined()
    }

    /// Whether the whole body has been read.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    static var tooLong: CallError {
        CallError(
            .limitExceeded, "a recorder holds at most 64 MiB of a request's body", phase: .sendingBody,
            advice: "exclude the URL from the recording")
    }

    /// The body as it is, for a request that is sent. A stream is copied while it is sent; anything else is read here.
    static func capture(_ request: Request) async throws(CallError) -> (Request, RequestCapture) {
        guard case .stream(let open, let isOneShot) = request.body.resolved(by: nil).content else {
            return (request, RequestCapture(try await read(request)))
        }
        let capture = RequestCapture(Bytes(), isWhole: false)
        var copied = request
        let body = request.body.resolved(by: nil)
        copied.body = body.with(
            content: .stream(open: { CopyingReader(open(), capture) }, isOneShot: isOneShot), length: body.length)
        return (copied, capture)
    }

    /// All bytes of the body; nil if there is none.
    static func read(_ request: Request) async throws(CallError) -> Bytes? {
        let body = request.body.resolved(by: nil)
        guard !body.isEmpty else { return nil }
        guard case .stream(let open, isOneShot: true) = body.content else {
            return try await body.collect(upTo: Recorder.longestBody)
        }
        let capture = RequestCapture(Bytes(), isWhole: false)
        let reader = CopyingReader(open(), capture)
        do {
            while try await reader.next() != nil {}
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(.requestBody, "the body cannot be read: \(error)", phase: .sendingBody, underlying: error)
        }
        return try capture.bytes()
    }

    /// Begins anew.
    /// - Returns: the number of the reader whose bytes count from now on.
    fileprivate func begin() -> Int {
        state.withLock { state in
            state = State(content: GatheredBytes(), isWhole: false, reader: state.reader + 1)
            return state.reader
        }
    }

    /// - Parameter piece: nil at the end of the body.
    fileprivate func append(_ piece: Bytes?, from reader: Int) throws(CallError) {
        let isTooLong = state.withLock { state in
            guard state.reader == reader else { return false }
            guard let piece else {
                state.isWhole = true
                return false
            }
            state.content?.append(piece)
            return state.content?.count ?? 0 > Recorder.longestBody
        }
        if isTooLong { throw Self.tooLong }
    }
}

private final class CopyingReader: BodyReader {
    private let reader: any BodyReader
    private let capture: RequestCapture
    private let number: Int

    init(_ reader: any BodyReader, _ capture: RequestCapture) {
        self.reader = reader
        self.capture = capture
        number = capture.begin()
    }

    func next() async throws -> Bytes? {
        let piece = try await reader.next()
        try capture.append(piece, from: number)
        return piece
    }
}

extension TransportExchange {
    /// All bytes of the request's body, read as if they were sent; nil if there is none.
    func wholeBody() async throws(CallError) -> Bytes? {
        guard let reader = try await openBody() else { return nil }
        var content = GatheredBytes()
        while let piece = try await reader.next() {
            content.append(piece)
            guard content.count <= Recorder.longestBody else { throw RequestCapture.tooLong }
        }
        return content.joined()
    }
}

extension RecordedBody {
    /// A body without its content codings, as far as they can be decoded; nil for no body.
    /// - Parameter codings: the Content-Encoding of the body.
    init?(_ bytes: Bytes?, codings: String?, isIncomplete: Bool = false) async {
        guard let bytes else { return nil }
        self.init(content: bytes, transferred: bytes.count, isIncomplete: isIncomplete)
        guard let codings, !bytes.isEmpty else { return }
        do throws(CallError) {
            let decoded = try await DecodedContent.decode(
                bytes, codings: codings, upTo: Recorder.longestBody, isIncomplete: isIncomplete)
            if let decoded {
                content = decoded
                return
            }
        } catch {
            // A damaged body is recorded as it is.
        }
        // A text with an unknown coding, such as `Content-Encoding: utf-8`, has none.
        isCoded =
            DecodedContent.isKnown(codings) || bytes.withUnsafeBytes { String(validating: $0, as: UTF8.self) } == nil
    }
}
