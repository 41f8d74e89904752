// UploadRun: one upload, from the first request to the last response.

import HTTPTypes
import TsubameCore

/// All exchanges belong to one call, with its timeouts and limits.
struct UploadRun: Sendable {
    /// The number of bytes for which a server may send one more interim response.
    private static let interimStep: Int64 = 64 << 10
    /// The total timeout of the request that deletes the upload resource.
    private static let dismissalTime = Duration.seconds(10)

    let client: Client
    /// The caller's request.
    let original: Request
    /// The first request that is sent.
    let request: Request
    let state: UploadState
    /// nil if the upload cannot be resumed, or was not asked to be.
    private let source: UploadSource?
    /// nil if no later process may continue the upload.
    let journal: UploadJournal?
    private let isStream: Bool
    /// nil unless the caller wants to continue an earlier upload.
    let continuation: Continuation?

    init(
        _ client: Client, _ request: Request, resume: Bool, records: UploadRecords? = nil,
        _ progress: (@Sendable (UploadProgress) -> Void)?
    ) throws(CallError) {
        let (client, plain) = client.resolved(request)
        self.client = client
        var request = plain
        // The body is encoded here, because its length is sent before it.
        request.body = request.body.resolved(by: client.configuration.valueRules)
        original = request
        let source = resume ? try UploadSource(request.body) : nil
        self.source = source
        isStream = resume && source == nil
        let prepared = try? client.prepare(request)
        let trust = UploadResource.Trust(
            home: prepared?.uri, isCrossOrigin: prepared?.isCrossOrigin ?? true,
            allowedOrigins: client.configuration.allowedOrigins,
            allowsInsecure: client.configuration.redirects.allowsInsecure)
        let length = source?.length ?? request.body.length
        journal = UploadJournal(records, prepared ?? request, source)
        let state = UploadState(request, length: length, source == nil ? nil : trust, journal, progress)
        self.state = state
        continuation = journal.flatMap { Self.continuation(records, $0, prepared?.uri, trust) }
        if case .resource(let resource) = continuation { state.continue(at: resource) }
        var first = request
        if let source {
            first.body = request.body.with(content: source.content(0..<source.length, state), length: source.length)
            first.headers[.uploadComplete] = "?1"
            first.headers[.uploadLength] = "\(source.length)"
            first.headers[.uploadDraftInteropVersion] = "\(UploadFields.interopVersion)"
            first.contentFields = UploadFields.ofContent
        }
        self.request = first
    }

    /// The end of an earlier process's upload, which this one is to continue.
    enum Continuation: Sendable {
        case resource(UploadResource)
        /// There is none that can be continued, for this reason.
        case impossible(String)
    }

    private static func continuation(
        _ records: UploadRecords?, _ journal: UploadJournal, _ base: TargetURI?, _ trust: UploadResource.Trust
    ) -> Continuation? {
        guard records?.continues == true else { return nil }
        guard let (record, isOfFile) = journal.earlier else {
            return .impossible("no unfinished upload of this file to this URL is known")
        }
        guard isOfFile else { return .impossible("the file has changed since the earlier upload") }
        do throws(UploadResource.Unusable) {
            return .resource(try UploadResource([record.resource], from: base, trust))
        } catch {
            return .impossible(error.reason)
        }
    }

    func makeCall(executor: (any TaskExecutor)? = nil) -> Call {
        var limits = client.configuration.limits
        // The server of a longer upload may report its progress more often.
        let (sum, overflow) = limits.informationalResponses.addingReportingOverflow(
            Int(clamping: min((source?.length ?? 0) / Self.interimStep, 1 << 20)))
        if !overflow { limits.informationalResponses = sum }
        let call = client.makeCall(
            request, executor: executor, limits: limits, retriesItself: { [state] in state.resource != nil },
            observer: state.take)
        state.follow(call)
        return call
    }

    /// Runs the whole upload, outside the event loops because it reads files.
    func perform(_ call: Call) async throws(CallError) -> Response {
        guard Engine.isOnLoop else { return try await performHere(call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await performHere(call)
        }
    }

    private func performHere(_ call: Call) async throws(CallError) -> Response {
        try await client.perform(sending: call) { () async throws(CallError) -> (Response, Response) in
            guard let source else {
                if isStream { call.emit(.decision("the upload is not resumed: its body is a stream")) }
                return try await last(try await client.collected(try await client.sendAgain(request, call)), call)
            }
            do throws(CallError) {
                var transfer = UploadTransfer(self, source, call)
                let response = try await transfer.run()
                if (200..<300).contains(response.statusCode) { journal?.remove() }
                return try await last(response, call)
            } catch {
                journal?.settle()
                // An error while the last response is read says nothing about the upload.
                let isOver =
                    [.cancelled, .requestBody, .limitExceeded].contains(error.kind) && error.phase != .receivingBody
                if isOver || state.failure != nil {
                    dismiss()
                    journal?.remove()
                }
                throw error
            }
        }
    }

    /// The last response, as the value of the call and for its last event.
    private func last(_ response: Response, _ call: Call) async throws(CallError) -> (Response, Response) {
        let last = call.requiresAcceptedStatus ? try await response.accepted() : response
        return (last, last)
    }

    /// Deletes the upload resource, because the upload will not continue. The call does not wait for the response.
    private func dismiss() {
        guard let resource = state.resource,
            let request = try? client.prepare(resource.request(.delete, from: original))
        else { return }
        var background = client.background
        background.timeouts.total = Self.dismissalTime
        let client = client
        background.start(request, isGuarded: client.chain.hasUserInterceptors) { call throws(CallError) in
            try await client.collected(try await client.chain.run(request, from: 0, call))
        }
    }
}
