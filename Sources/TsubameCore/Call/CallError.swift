// CallError: the one error type of every way to send a request.

/// An error that says why a call failed: what failed, where, and what to do about it.
/// ```swift
/// do { … } catch {
///     if error.kind == .timeout { … }       // a flat kind to switch over
///     error.response?.status                // the server's answer, with up to 64 KiB of its body
///     print(error)                          // what failed, in which phase, what to try
/// }
/// ```
/// No text of an error shows credentials; see ``Redaction``.
public struct CallError: Error, Sendable {
    /// The kinds of failure, in one flat list.
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
        /// The proxy refused the request, asks for credentials, or does not speak its protocol.
        case proxy
        /// The TLS handshake failed, the certificate was refused, or the peer cut the stream off without a closing
        /// notice.
        case tls
        /// The connection broke while the request was being sent, or before the response arrived.
        case connectionLost
        /// The server closed the connection before the first byte of a response.
        case emptyReply
        /// The response ended before it was complete.
        case incompleteResponse
        /// The response violates the protocol.
        case invalidResponse
        /// A limit was exceeded: one of ``Limits``, a fixed limit of a parser, that of a `collect`, or one that a server set for
        /// an upload.
        case limitExceeded
        /// A redirect cannot be followed: there are too many, they form a loop, or one leads nowhere. It is also
        /// the kind of a next page that cannot be requested.
        case redirect
        /// No credentials could be obtained: the source of the client's token failed or took too long.
        case authentication
        /// A content coding is corrupt, cut off, or continues after its end.
        case contentCoding
        /// The request's body could not be read, or its length is not the declared one.
        case requestBody
        /// The caller asked for a value, and the request does not accept the status of the response.
        case status
        /// The body could not be decoded as the value that was asked for, or does not have the expected digest.
        case decoding
        /// A file could not be read or written.
        case file
        /// The call needs a feature that this version or the client's transport does not have.
        case unsupported
        /// An interceptor threw an error, which is in ``CallError/underlying``.
        case interceptor

        /// The kind as part of a sentence that names it as the cause of something else.
        package var words: String {
            switch self {
            case .invalidRequest: "an invalid request"
            case .misuse: "a call that cannot work"
            case .cancelled: "a cancellation"
            case .timeout: "a timeout"
            case .nameResolution: "a name without an address"
            case .connectionFailed: "a failed connection"
            case .proxy: "a proxy failure"
            case .tls: "a TLS failure"
            case .connectionLost: "a lost connection"
            case .emptyReply: "an empty answer"
            case .incompleteResponse: "an incomplete answer"
            case .invalidResponse: "an invalid answer"
            case .limitExceeded: "an exceeded limit"
            case .redirect: "a redirect that cannot be followed"
            case .authentication: "missing credentials"
            case .contentCoding: "a corrupt content coding"
            case .requestBody: "a body that cannot be sent"
            case .status: "an error status"
            case .decoding: "a body that cannot be decoded"
            case .file: "a file error"
            case .unsupported: "something that is not supported"
            case .interceptor: "an interceptor error"
            }
        }
    }

    /// The step that a call was in.
    public enum Phase: String, Sendable, Hashable {
        /// A step that ``CallError/description`` puts in words.
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
            case .checking: "while checking the file"
            case .backingOff: "while waiting to try again"
            }
        }
    }

    /// How far the call had come.
    private struct Course: Sendable {
        var progress: String?
        var retryObstacle: String?
        var attempts: Int
    }

    private struct Details: Sendable {
        let kind: Kind
        let phase: Phase
        let reason: String
        var advice: String?
        let timeout: Timeouts.Name?
        let underlying: (any Error)?
        var request: Request?
        var response: Response?
        var failure: (any Sendable)?
        let connection: ConnectionInfo?
        var course: Course
    }

    /// Keeps an error as small as a reference.
    private final class Storage: Sendable {
        let details: Details

        init(_ details: Details) { self.details = details }
    }

    private let storage: Storage

    /// Makes an error that an interceptor or a stub can throw.
    /// - Parameters:
    ///   - kind: the kind of failure, to switch over.
    ///   - reason: the failure in words, without a full stop.
    ///   - phase: the step that the call was in.
    ///   - advice: the way to solve the problem.
    ///   - underlying: the error of a lower layer.
    ///   - request: the request that failed. The client adds it if it is nil.
    ///   - response: the response, if there was one.
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
        self.init(
            Details(
                kind: kind, phase: phase, reason: reason, advice: advice, timeout: timeout, underlying: underlying,
                request: request, response: response, failure: failure, connection: connection,
                course: Course(progress: progress, retryObstacle: retryObstacle, attempts: attempts)))
    }

    private init(_ details: Details) { storage = Storage(details) }

    private var details: Details { storage.details }

    /// The kind of failure, to switch over.
    public var kind: Kind { details.kind }
    /// The step that the call was in when it failed.
    public var phase: Phase { details.phase }
    /// The failure in words, without a full stop.
    public var reason: String { details.reason }
    /// The way to solve the problem; nil if there is no advice.
    public var advice: String? { details.advice }
    /// The deadline that passed, when ``kind`` is ``Kind/timeout``.
    public var timeout: Timeouts.Name? { details.timeout }
    /// The error of a lower layer, of a decoder or of an interceptor.
    public var underlying: (any Error)? { details.underlying }
    /// The request as it was last sent.
    public var request: Request? { details.request }
    /// The response, if one was received, with the first 64 KiB of its body.
    public var response: Response? { details.response }
    /// The body of an error response, decoded as the endpoint's `Failure`.
    public var failure: (any Sendable)? { details.failure }
    /// The connection that was used; nil if there was none.
    public var connection: ConnectionInfo? { details.connection }
    /// The number of exchanges that the call had begun, including redirects, retries and every other resend.
    public var attempts: Int { details.course.attempts }

    /// The same error with the facts that a higher layer knows. A fact that is already set stays.
    package func with(
        request: Request? = nil, response: Response? = nil, failure: (any Sendable)? = nil,
        attempts: Int? = nil, advice: String? = nil, progress: String? = nil, retryObstacle: String? = nil
    ) -> CallError {
        var details = details
        details.request = details.request ?? request
        details.response = details.response ?? response
        details.failure = details.failure ?? failure
        details.advice = details.advice ?? advice
        details.course.progress = details.course.progress ?? progress
        details.course.retryObstacle = details.course.retryObstacle ?? retryObstacle
        details.course.attempts = Swift.max(details.course.attempts, attempts ?? 1)
        return CallError(details)
    }

    /// The same error with other messages, and without the decoded value.
    package func replacing(request: Request?, response: Response?) -> CallError {
        var details = details
        details.request = request
        details.response = response
        details.failure = nil
        return CallError(details)
    }

    /// Makes the error of a call from bytes that a codec refused.
    package init(_ error: WireError, phase: Phase, connection: ConnectionInfo? = nil) {
        self.init(
            error.kind, error.description, phase: phase, timeout: nil, underlying: error, connection: connection)
    }
}

extension CallError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Up to four lines that say what failed, where, and what to do. Credentials are withheld.
    public var description: String {
        var text = ""
        if let request { text += "\(request.summary) failed\(kind == .status ? "" : " " + phase.words): " }
        text += reason
        if let timeout { text += " (timeouts.\(timeout.rawValue))" }
        var context: [String] = []
        if let connection { context.append(connection.description) }
        if let progress = details.course.progress { context.append(progress) }
        if attempts > 1 { context.append("\(attempts) exchanges") }
        if let obstacle = details.course.retryObstacle { context.append(obstacle) }
        if !context.isEmpty { text += "\n  " + context.joined(separator: " · ") }
        if kind == .status, let response, let excerpt = response.excerpt { text += "\n  \(excerpt)" }
        if let advice { text += "\n  \(advice)" }
        return text
    }

    /// ``kind`` and ``description``.
    public var debugDescription: String { "CallError.\(kind.rawValue): \(description)" }
}

extension CallError: CustomReflectable {
    /// A mirror of ``kind``, ``phase`` and ``reason`` only. A mirror of every property would expose the request's
    /// credentials.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "phase": phase, "reason": reason], displayStyle: .struct)
    }
}
