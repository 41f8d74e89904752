// UploadState: the state of a running upload.

import HTTPTypes
import Synchronization
import TsubameCore
import TsubamePlatform

/// Learns from the events of its call, on event loops. The transfer and the reader of the body ask it.
final class UploadState: Sendable {
    private struct State: Sendable {
        weak var call: Call?
        /// The current request, without its body: the body holds this state, which would be a cycle.
        var sending: Sending?
        var resource: UploadResource?
        var limits = UploadLimits()
        var obstacle: String?
        var failure: CallError?
        /// The position at which the current body begins.
        var start: Int64 = 0
        var sent: Int64 = 0
        var acknowledged: Int64 = 0
        /// The end of the bytes that were ever handed out for sending. No server can have more.
        var given: Int64 = 0
        /// Whether a redirect has led the upload to an origin that must not name an upload resource.
        var hasLeft = false
        var resumptions = 0
        /// Bytes that were sent, including those that were sent in vain.
        var moved: Int64 = 0
        let began = MonotonicClock.now
    }

    private struct Sending: Sendable {
        let uri: TargetURI?
        /// Whether the request creates an upload. No other request can get an upload resource.
        let begins: Bool
    }

    /// The length in bytes; nil if it is not known.
    private let length: Int64?
    /// nil if the upload is not to be resumed.
    private let trust: UploadResource.Trust?
    /// The content coding with which the body was made. If a hook compressed the body, positions would not
    /// match.
    private let contentCoding: String?
    private let journal: UploadJournal?
    private let tell: (@Sendable (UploadProgress) -> Void)?
    /// Held while progress is reported, so that the reports stay in order.
    private let state = Mutex(State())

    init(
        _ request: Request, length: Int64?, _ trust: UploadResource.Trust?, _ journal: UploadJournal? = nil,
        _ tell: (@Sendable (UploadProgress) -> Void)?
    ) {
        self.length = length
        self.trust = trust
        self.journal = journal
        self.tell = tell
        contentCoding = request.headers[.contentEncoding] ?? request.body.contentCoding
    }

    /// The resource at which the upload resumes; nil if it cannot.
    var resource: UploadResource? { state.withLock { $0.resource } }
    var limits: UploadLimits { state.withLock { $0.limits } }
    /// Why the upload resource that the server offered is not used.
    var obstacle: String? { state.withLock { $0.obstacle } }
    /// Why the upload cannot continue, regardless of later responses.
    var failure: CallError? { state.withLock { $0.failure } }
    var acknowledged: Int64 { state.withLock { $0.acknowledged } }

    /// Sets the call whose events will follow.
    func follow(_ call: Call) { state.withLock { $0.call = call } }

    // MARK: For the transfer

    /// Takes the resource of an earlier process's upload. It is not known how many bytes that process has sent.
    func `continue`(at resource: UploadResource) {
        state.withLock { state in
            state.resource = resource
            state.given = length ?? 0
        }
    }

    /// Forgets the resource, because it is gone.
    func forget() { state.withLock { ($0.resource, $0.given) = (nil, 0) } }

    /// Takes the limits of a response.
    func learn(_ limits: UploadLimits) { state.withLock { $0.limits = limits } }

    /// Records how many bytes the server has, by its response.
    /// - Throws: ``CallError/Kind/invalidResponse`` if that number is impossible.
    func acknowledge(_ offset: Int64) throws(CallError) {
        let failure = state.withLock { state in
            acknowledge(offset, &state)
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Records that the bytes before this position were read, and are about to be sent.
    func give(upTo position: Int64) { state.withLock { $0.given = max($0.given, position) } }

    /// Records that the next body begins at this position.
    func begin(at offset: Int64) {
        state.withLock { state in
            (state.start, state.sent) = (offset, offset)
            show(state)
        }
    }

    /// Records that the upload was resumed.
    func resume() { state.withLock { $0.resumptions += 1 } }

    /// Keeps the error that ends the upload.
    /// - Parameter error: an error without its request, because the request's body holds this state.
    /// - Returns: the first error that was kept.
    func fail(_ error: CallError) -> CallError {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
            return state.failure ?? error
        }
    }

    /// Records that the server has all bytes.
    func complete() {
        state.withLock { state in
            guard let length, state.sent != length else { return }
            state.sent = length
            show(state)
        }
    }

    // MARK: Events

    func take(_ event: CallEvent) {
        let interrupted = state.withLock { state -> Call? in
            let isFailed = state.failure != nil
            switch event.kind {
            case .sent(let request): begin(request, &state)
            case .sending(let progress):
                let sent = state.start &+ progress.bytes
                state.moved &+= max(sent &- state.sent, 0)
                state.sent = sent
                show(state)
            case .informational(UploadFields.status, let fields): learn(fields, &state)
            default: break
            }
            return state.failure == nil || isFailed ? nil : state.call
        }
        interrupted?.interrupt()
    }

    /// A request creates an upload, unless it appends to one.
    private func begin(_ request: Request, _ state: inout State) {
        let appends = request.headers.contains(.uploadOffset)
        let begins = !appends && request.headers.contains(.uploadLength)
        state.sending = Sending(uri: request.uri, begins: begins)
        guard begins || !request.body.isEmpty else { return }
        state.sent = state.start
        guard let trust else { return }
        if begins {
            (state.resource, state.obstacle, state.limits) = (nil, nil, UploadLimits())
            (state.start, state.sent, state.acknowledged) = (0, 0, 0)
            if request.body.length != length || request.headers[.contentEncoding] != contentCoding {
                state.obstacle = "an interceptor has changed the body"
            }
            // This lasts for the whole call: another server could redirect the upload back home, to any path it
            // likes.
            if !trust.mayName(request) { state.hasLeft = true }
            if state.hasLeft { state.obstacle = "a redirect has led it to another origin" }
        } else if appends, request.headers.contains(.contentEncoding) {
            state.failure = CallError(
                .interceptor, "an interceptor has changed a part of the upload", phase: .sendingBody)
        }
    }

    private func learn(_ fields: ReceivedFields, _ state: inout State) {
        guard let trust, let sending = state.sending, UploadFields.isUnderstood(fields), state.obstacle == nil else {
            return
        }
        let locations = fields[values: .location]
        // The first resource stays, because it has the bytes that came.
        if !locations.isEmpty, sending.begins, state.resource == nil {
            do throws(UploadResource.Unusable) {
                let resource = try UploadResource(locations, from: sending.uri, trust)
                state.resource = resource
                journal?.take(resource) { [weak call = state.call] problem in
                    guard let problem else { return }
                    call?.emit(
                        .decision(
                            "no later run can continue this upload, because its place cannot be saved: \(problem)"))
                }
            } catch {
                state.obstacle = error.reason
            }
        }
        if let limits = UploadLimits(fields) {
            state.limits = limits
            if let length, state.failure == nil { state.failure = limits.problem(length) }
        }
        if let offset = UploadFields.offset(fields), offset != state.acknowledged {
            acknowledge(offset, &state)
            show(state)
        }
    }

    private func acknowledge(_ offset: Int64, _ state: inout State) {
        guard state.failure == nil else { return }
        if let length, offset > length {
            state.failure = invalid("the server says that it has \(offset) bytes, and there are \(length)")
        } else if offset < state.acknowledged {
            state.failure = invalid("the server says that it has \(offset) bytes, after it had \(state.acknowledged)")
        } else if offset > state.given {
            state.failure = invalid("the server says that it has \(offset) bytes, and only \(state.given) were sent")
        } else {
            state.acknowledged = offset
        }
    }

    private func invalid(_ reason: String) -> CallError {
        CallError(
            .invalidResponse, reason, phase: .sendingBody, advice: "upload the body again from the beginning")
    }

    private func show(_ state: State) {
        guard let tell else { return }
        let seconds = Double(MonotonicClock.now &- state.began) / 1e9
        let rate = seconds > 0.001 ? Double(state.moved) / seconds : 0
        tell(
            UploadProgress(
                sent: state.sent, total: length, acknowledged: state.acknowledged, resumptions: state.resumptions,
                bytesPerSecond: Int64(exactly: min(rate, 1e15).rounded()) ?? 0))
    }
}
