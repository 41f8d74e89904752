// CallError: the one error of every way to send a request.

/// Why a call failed: what, where, and what to do about it.
///
/// ```swift
/// do { … } catch {
///     if error.kind == .timeout { … }       // a flat kind to switch over
///     error.response?.status                // the server's answer, with up to 64 KiB of its body
///     print(error)                          // what failed, in which phase, what to try
/// }
/// ```
/// Every text redacts credentials (``Redaction``).
public struct CallError: Error, Sendable {
    /// The reasons, flat.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The request cannot be sent as it is: its URL, path, a field or its body is invalid. Nothing was sent.
        case invalidRequest
        /// The API was used in a way that cannot work, such as a blocking call on an event loop's thread.
        case misuse
        /// The call, its task or its client was cancelled.
        case cancelled
        /// A deadline passed; ``CallError/timeout`` names it.
        case timeout
        /// The host's name has no address.
        case nameResolution
        /// No connection could be made to any address.
        case connectionFailed
        /// The proxy refused, wants credentials, or does not speak its protocol.
        case proxy
        /// The TLS handshake failed, the certificate was refused, or the stream was cut off without notice.
        case tls
        /// The connection broke while the request was being sent or the answer awaited.
        case connectionLost
        /// The server closed the connection without a byte of an answer.
        case emptyReply
        /// The answer ended before it was complete.
        case incompleteResponse
        /// The answer breaks the protocol.
        case invalidResponse
        /// A bound of ``Limits`` was passed, or one that a server named for an upload.
        case limitExceeded
        /// Redirects that go on, go round, or lead nowhere.
        case redirect
        /// No credentials could be had: the source of the client's token failed, or took too long.
        case authentication
        /// A content coding is corrupt or not known.
        case contentCoding
        /// The request's own body could not be read, or its length is not what was declared.
        case requestBody
        /// A value was asked for and the status is not an accepted one.
        case status
        /// The body is not what was asked for.
        case decoding
        /// A file could not be read or written.
        case file
        /// Something that this version cannot do.
        case unsupported
        /// An interceptor of the user's threw; ``CallError/underlying`` is what.
        case interceptor

        /// As what led to something else, in a sentence.
        package var words: String {
            switch self {
            case .invalidRequest: "an invalid request"
            case .misuse: "a call that cannot work"
            case .cancelled: "a cancellation"
            case .timeout: "a timeout"
            case .nameResolution: "a name without an address"
            case .connectionFailed: "a failed connection"
            case .proxy: "a failure of the proxy"
            case .tls: "a failure of TLS"
            case .connectionLost: "a lost connection"
            case .emptyReply: "an empty answer"
            case .incompleteResponse: "an incomplete answer"
            case .invalidResponse: "an invalid answer"
            case .limitExceeded: "a limit that was passed"
            case .redirect: "a redirect that cannot be followed"
            case .authentication: "missing credentials"
            case .contentCoding: "a corrupt content coding"
            case .requestBody: "a body that cannot be sent"
            case .status: "an error of the server"
            case .decoding: "a body of another kind"
            case .file: "a failure of a file"
            case .unsupported: "something that is not supported"
            case .interceptor: "a failure of an interceptor"
            }
        }
    }

    /// What the call was doing.
    public enum Phase: String, Sendable, Hashable {
        /// Said in words by ``CallError/description``.
        case preparing, authenticating, waiting, resolving, connecting, securing, sendingHead, sendingBody,
            waitingForHead, receivingBody, decoding, checking, backingOff

        var words: String {
            switch self {
            case .preparing: "while preparing the request"
            case .authenticating: "while getting credentials"
            case .waiting: "while waiting for a connection"
            case .resolving: "while resolving the host's name"
            case .connecting: "while connecting"
            case .securing: "while securing the connection (TLS)"
            case .sendingHead: "while sending the head"
            case .sendingBody: "while sending the body"
            case .waitingForHead: "while waiting for the response"
            case .receivingBody: "while receiving the body"
            case .decoding: "while decoding the response"
            case .checking: "while checking what came"
            case .backingOff: "while waiting to try again"
            }
        }
    }

    private final class Details: Sendable {
        let kind: Kind
        let phase: Phase
        let reason: String
        let advice: String?
        let timeout: Timeouts.Name?
        let underlying: (any Error)?
        let request: Request?
        let response: Response?
        let failure: (any Sendable)?
        let connection: ConnectionInfo?
        let progress: String?
        let retryObstacle: String?
        let attempts: Int

        init(
            kind: Kind, phase: Phase, reason: String, advice: String?, timeout: Timeouts.Name?,
            underlying: (any Error)?, request: Request?, response: Response?, failure: (any Sendable)?,
            connection: ConnectionInfo?, progress: String?, retryObstacle: String?, attempts: Int
        ) {
            self.kind = kind
            self.phase = phase
            self.reason = reason
            self.advice = advice
            self.timeout = timeout
            self.underlying = underlying
            self.request = request
            self.response = response
            self.failure = failure
            self.connection = connection
            self.progress = progress
            self.retryObstacle = retryObstacle
            self.attempts = attempts
        }
    }

    private let details: Details

    /// An error of your own, as an interceptor or a stub throws one.
    /// - Parameters:
    ///   - kind: why, to switch over.
    ///   - reason: what is wrong, in words, without a full stop.
    ///   - phase: what the call was doing.
    ///   - advice: what to do about it.
    ///   - underlying: the error of a lower layer.
    ///   - request: the request that failed; the client adds it if it is not given.
    ///   - response: the answer, if there was one.
    public init(
        _ kind: Kind, _ reason: String, phase: Phase = .preparing, advice: String? = nil,
        underlying: (any Error)? = nil, request: Request? = nil, response: Response? = nil
    ) {
        self.init(
            kind, reason, phase: phase, advice: advice, timeout: nil, underlying: underlying, request: request,
            response: response, failure: nil, connection: nil, progress: nil, attempts: 1)
    }

    package init(
        _ kind: Kind, _ reason: String, phase: Phase, advice: String? = nil, timeout: Timeouts.Name?,
        underlying: (any Error)? = nil, request: Request? = nil, response: Response? = nil,
        failure: (any Sendable)? = nil, connection: ConnectionInfo? = nil, progress: String? = nil,
        retryObstacle: String? = nil, attempts: Int = 1
    ) {
        details = Details(
            kind: kind, phase: phase, reason: reason, advice: advice, timeout: timeout, underlying: underlying,
            request: request, response: response, failure: failure, connection: connection, progress: progress,
            retryObstacle: retryObstacle, attempts: attempts)
    }

    /// Why it failed, to switch over.
    public var kind: Kind { details.kind }
    /// What the call was doing when it failed.
    public var phase: Phase { details.phase }
    /// What is wrong, in words.
    public var reason: String { details.reason }
    /// What to do about it.
    public var advice: String? { details.advice }
    /// The deadline that passed, when ``kind`` is ``Kind/timeout``.
    public var timeout: Timeouts.Name? { details.timeout }
    /// The error of a lower layer, of a decoder or of an interceptor.
    public var underlying: (any Error)? { details.underlying }
    /// The request as it was last sent.
    public var request: Request? { details.request }
    /// The response, if one had been received, with the first 64 KiB of its body.
    public var response: Response? { details.response }
    /// The body of an error response, decoded as the endpoint's `Failure`.
    public var failure: (any Sendable)? { details.failure }
    /// The connection that was used.
    public var connection: ConnectionInfo? { details.connection }
    /// How many exchanges the call had begun: redirects, and whatever else was sent again, included.
    public var attempts: Int { details.attempts }

    /// The same error with what a higher layer knows; what is already there stays.
    package func with(
        request: Request? = nil, response: Response? = nil, failure: (any Sendable)? = nil,
        attempts: Int? = nil, advice: String? = nil, progress: String? = nil, retryObstacle: String? = nil
    ) -> CallError {
        CallError(
            kind, reason, phase: phase, advice: self.advice ?? advice, timeout: timeout, underlying: underlying,
            request: self.request ?? request, response: self.response ?? response,
            failure: self.failure ?? failure, connection: connection, progress: details.progress ?? progress,
            retryObstacle: details.retryObstacle ?? retryObstacle, attempts: Swift.max(self.attempts, attempts ?? 1))
    }

    /// What a codec refused, as the error of a call.
    package init(_ error: WireError, phase: Phase, connection: ConnectionInfo? = nil) {
        self.init(
            error.kind, error.description, phase: phase, timeout: nil, underlying: error, connection: connection)
    }
}

extension CallError: CustomStringConvertible, CustomDebugStringConvertible {
    /// What failed, where, and what to do, in up to three lines; credentials are withheld.
    public var description: String {
        var text = ""
        if let request { text += "\(request.summary) failed\(kind == .status ? "" : " " + phase.words): " }
        text += reason
        if let timeout { text += " (timeouts.\(timeout.rawValue))" }
        var context: [String] = []
        if let connection { context.append(connection.description) }
        if let progress = details.progress { context.append(progress) }
        if attempts > 1 { context.append("\(attempts) exchanges") }
        if let obstacle = details.retryObstacle { context.append(obstacle) }
        if !context.isEmpty { text += "\n  " + context.joined(separator: " · ") }
        if kind == .status, let response, let excerpt = response.excerpt { text += "\n  \(excerpt)" }
        if let advice { text += "\n  \(advice)" }
        return text
    }

    /// ``kind`` and ``description``.
    public var debugDescription: String { "CallError.\(kind.rawValue): \(description)" }
}

extension CallError: CustomReflectable {
    /// Only what may be shown: a mirror of the whole would lay the request's credentials open.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "phase": phase, "reason": reason], displayStyle: .struct)
    }
}
