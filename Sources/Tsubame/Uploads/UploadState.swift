// UploadState: what is known of an upload while it is under way.

import HTTPTypes
import Synchronization
import TsubameCore

/// Learns from the events of its call, on event loops, and is asked by the passage and by the reader of the body.
final class UploadState: Sendable {
    private struct State: Sendable {
        weak var call: Call?
        /// What is being sent. Not the request itself, whose body holds this state.
        var sending: Sending?
        var resource: UploadResource?
        var limits = UploadLimits()
        var obstacle: String?
        var failure: CallError?
        /// Where the body that is being sent begins.
        var start: Int64 = 0
        var sent: Int64 = 0
        var acknowledged: Int64 = 0
        /// Bytes that were ever given out to be sent, from the first one on: no server can have more.
        var given: Int64 = 0
        /// Whether a redirect has led the upload to an origin that names no places.
        var hasLeft = false
        var resumptions = 0
        /// Bytes that went out, those that went out in vain included.
        var moved: Int64 = 0
        let began = MonotonicClock.now
    }

    private struct Sending: Sendable {
        let uri: TargetURI?
        /// Whether it begins an upload; no other one has a place of its own to name.
        let begins: Bool
    }

    /// In bytes; nil if it is not known.
    private let length: Int64?
    /// nil if nothing is to be resumed.
    private let trust: UploadResource.Trust?
    /// What goes out has to be coded as it was made: by a hook that compresses it, positions would mean something else.
    private let contentCoding: String?
    private let tell: (@Sendable (UploadProgress) -> Void)?
    /// Held while progress is told, so that it is told in order.
    private let state = Mutex(State())

    init(
        _ request: Request, length: Int64?, _ trust: UploadResource.Trust?,
        _ tell: (@Sendable (UploadProgress) -> Void)?
    ) {
        self.length = length
        self.trust = trust
        self.tell = tell
        contentCoding = request.headers[.contentEncoding] ?? request.body.contentCoding
    }

    /// Where the upload goes on, if it can.
    var resource: UploadResource? { state.withLock { $0.resource } }
    var limits: UploadLimits { state.withLock { $0.limits } }
    /// Why what the server offered is not made use of.
    var obstacle: String? { state.withLock { $0.obstacle } }
    /// Why the upload cannot go on, whatever may still come.
    var failure: CallError? { state.withLock { $0.failure } }
    var acknowledged: Int64 { state.withLock { $0.acknowledged } }

    /// The events of this call are about to be told.
    func follow(_ call: Call) { state.withLock { $0.call = call } }

    // MARK: The passage's

    /// The server has so many bytes, by its answer.
    /// - Throws: ``CallError/Kind/invalidResponse`` if that cannot be.
    func acknowledge(_ offset: Int64) throws(CallError) {
        let failure = state.withLock { state in
            acknowledge(offset, &state)
            return state.failure
        }
        if let failure { throw failure }
    }

    /// The bytes before this position have been read, and are about to be sent.
    func give(upTo position: Int64) { state.withLock { $0.given = max($0.given, position) } }

    /// The body goes on there.
    func begin(at offset: Int64) {
        state.withLock { state in
            (state.start, state.sent) = (offset, offset)
            show(state)
        }
    }

    /// An interruption is over.
    func resume() { state.withLock { $0.resumptions += 1 } }

    /// Keeps the reason for which the upload ends.
    /// - Parameter error: without the request, whose body holds this state.
    func fail(_ error: CallError) -> CallError {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
            return state.failure ?? error
        }
    }

    /// Everything has come.
    func complete() {
        state.withLock { state in
            guard let length, state.sent != length else { return }
            state.sent = length
            show(state)
        }
    }

    // MARK: The events'

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

    /// A request that goes out begins an upload, unless it goes on with one.
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
            // For good: another server may send it back home, to whatever place it likes.
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
        // The first one stays: what has come is there.
        if !locations.isEmpty, sending.begins, state.resource == nil {
            do throws(UploadResource.Unusable) {
                state.resource = try UploadResource(locations, from: sending.uri, trust)
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
            .invalidResponse, reason, phase: .sendingBody, advice: "what it has cannot be relied on: upload it anew")
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
