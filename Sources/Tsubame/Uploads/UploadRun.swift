// UploadRun: one upload, from the first request to the last answer.

import HTTPTypes
import TsubameCore
import TsubameEngine

/// All exchanges are of one call, and under its deadlines and limits.
struct UploadRun: Sendable {
    /// A server may tell how far it has come so often, in bytes.
    private static let interimStep: Int64 = 64 << 10
    /// How long a server is asked to forget an upload.
    private static let dismissalTime = Duration.seconds(10)

    let client: Client
    /// As the caller made it.
    let original: Request
    /// What is sent first.
    let request: Request
    let state: UploadState
    /// nil if nothing can be resumed, or is to be.
    private let source: UploadSource?
    private let isStream: Bool

    init(
        _ client: Client, _ request: Request, resume: Bool, _ progress: (@Sendable (UploadProgress) -> Void)?
    ) throws(CallError) {
        self.client = client
        var request = request
        // Its length is told before it is sent.
        request.body = request.body.resolved(by: client.configuration.json)
        original = request
        let source = resume ? try UploadSource(request.body) : nil
        self.source = source
        isStream = resume && source == nil
        let prepared = try? client.prepare(request)
        let trust = UploadResource.Trust(
            home: prepared?.uri, isForeign: prepared?.isForeign ?? true,
            allowedOrigins: client.configuration.allowedOrigins,
            allowsInsecure: client.configuration.redirects.allowsInsecure)
        let length = source?.length ?? request.body.length
        let state = UploadState(request, length: length, source == nil ? nil : trust, progress)
        self.state = state
        var first = request
        if let source {
            first.body = request.body.with(content: source.content(0..<source.length, state), length: source.length)
            first.headers[.uploadComplete] = "?1"
            first.headers[.uploadLength] = "\(source.length)"
            first.headers[.uploadDraftInteropVersion] = "\(UploadFields.interopVersion)"
            first.isMendedElsewhere = { state.resource != nil }
        }
        self.request = first
    }

    func makeCall(executor: (any TaskExecutor)? = nil) -> Call {
        var limits = client.configuration.limits
        // A longer upload may well be told of more often.
        let (sum, overflow) = limits.informationalResponses.addingReportingOverflow(
            Int(clamping: min((source?.length ?? 0) / Self.interimStep, 1 << 20)))
        if !overflow { limits.informationalResponses = sum }
        let call = client.makeCall(request, executor: executor, limits: limits, observer: state.take)
        state.follow(call)
        return call
    }

    /// Does all of it.
    func perform(_ call: Call) async throws(CallError) -> Response {
        guard Engine.isOnLoop else { return try await performHere(call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await performHere(call)
        }
    }

    private func performHere(_ call: Call) async throws(CallError) -> Response {
        try await client.perform(sending: call) { () throws(CallError) in
            guard let source else {
                if isStream { call.emit(.decision("the upload is not resumed: its body is a stream")) }
                return try await client.collected(try await client.sendAgain(request, call))
            }
            do throws(CallError) {
                var passage = UploadPassage(self, source, call)
                return try await passage.run()
            } catch {
                let isOver = [.cancelled, .requestBody, .limitExceeded].contains(error.kind)
                if isOver || state.failure != nil { dismiss() }
                throw error
            }
        }
    }

    /// Nobody will go on with it: the server need not keep what it has. Nobody waits for that.
    private func dismiss() {
        guard let resource = state.resource,
            let request = try? client.prepare(resource.request(.delete, from: original))
        else { return }
        var background = client.background
        background.timeouts.total = Self.dismissalTime
        let client = client
        background.start(request, isGuarded: client.corridor.hasForeignArounds) { call throws(CallError) in
            try await client.collected(try await client.corridor.run(request, from: 0, call))
        }
    }
}
