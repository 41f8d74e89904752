// DownloadRun: one download, from the bytes of an earlier call to the complete file.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// Asks for missing bytes until the file is complete. The first request asks for the rest of an earlier download,
/// or for the whole file. After a broken connection, the next request asks for the bytes that are still missing.
/// All exchanges belong to one call, with its timeouts and limits.
struct DownloadRun: Sendable {
    let client: Client
    /// The caller's request for the whole file.
    let request: Request
    let place: DownloadPlace
    let policy: DownloadPolicy
    let digest: [UInt8]?
    /// Whether the caller asks for a part of the file, which is saved as it comes.
    let hasOwnRange: Bool
    /// Whether received bytes are kept for a later call, if the server allows that.
    let resumes: Bool
    /// Whether the download may ask for parts of the file.
    let needsRecord: Bool
    let hooks: DownloadHooks
    let meter: DownloadMeter

    /// The first request, and the bytes of an earlier download that it continues.
    struct Start: Sendable {
        let request: Request
        let leftover: DownloadPart?
    }

    init(
        _ client: Client, _ request: Request, path: String, isFolder: Bool = false, resume: Bool,
        _ policy: DownloadPolicy,
        _ hooks: DownloadHooks = DownloadHooks(), _ progress: (@Sendable (DownloadProgress) -> Void)?
    ) throws(CallError) {
        let (client, plain) = client.resolved(request)
        self.client = client
        self.policy = policy
        self.hooks = hooks
        digest = try policy.expectedDigest()
        place = try DownloadPlace(path, isFolder: isFolder, policy)
        meter = DownloadMeter(progress ?? { _ in })
        hasOwnRange = request.headers.contains(.range)
        let mayHaveParts =
            request.method == .get && request.body.isEmpty && !hasOwnRange && !request.headers.contains(.ifRange)
        resumes = resume && mayHaveParts
        needsRecord = mayHaveParts && (resume || policy.connections > 1)
        var request = plain
        // A download looks at each status by itself: 206 and 416 are answers to a resumption.
        request.requiresAcceptedStatus = false
        request.askForContentAsStored()
        self.request = request
    }

    /// Looks for the bytes that an earlier call has left.
    func start() throws(CallError) -> Start {
        guard resumes, let prepared = try? client.prepare(request), let part = try place.leftover(of: prepared),
            let record = part.record
        else { return Start(request: request, leftover: nil) }
        let gap = DownloadTransfer.gap(of: part)
        return Start(
            request: asking(for: gap, record, isBounded: gap.upperBound < record.total ?? .max), leftover: part)
    }

    /// The same request for a part of the file (RFC 9110 sections 13.1.5 and 14.2).
    func asking(for span: Range<Int64>, _ record: DownloadRecord, isBounded: Bool = false) -> Request {
        var request = request
        request.undoesCodings = false
        let end = isBounded ? "\(span.upperBound &- 1)" : ""
        request.headers[.range] = "bytes=\(span.lowerBound)-\(end)"
        request.headers[.ifRange] = record.validators.condition
        request.headers[.acceptEncoding] = "identity"
        return request
    }

    /// Runs the whole download, outside the event loops because it writes files.
    func perform(_ start: Start, _ call: Call) async throws(CallError) -> DownloadedFile {
        guard Engine.isOnLoop else { return try await performHere(start, call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await performHere(start, call)
        }
    }

    private func performHere(_ start: Start, _ call: Call) async throws(CallError) -> DownloadedFile {
        try await client.perform(sending: call) { () async throws(CallError) -> (DownloadedFile, Response) in
            var transfer = DownloadTransfer(self, start.leftover, call)
            let file = try await transfer.run()
            return (file, file.response)
        }
    }

    func makeCall(_ start: Start, executor: (any TaskExecutor)? = nil) -> Call {
        client.makeCall(
            start.request, wantsStream: true, executor: executor, retriesItself: { [resumes] in resumes })
    }

    /// Exchanges that have brought enough for a retry to be free do not count against the limit.
    func forgive(since exchanges: Int, moved: Int64, _ call: Call) {
        if moved >= RetryPolicy.worth { call.forgiveExchanges(call.exchanges &- exchanges) }
    }

    /// Waits before the next request for missing bytes, if the client's retry policy allows one.
    /// - Parameters:
    ///   - moved: the bytes that the last request has brought for good.
    ///   - received: the bytes that are there.
    ///   - retries: the number of retries so far.
    /// - Throws: the error, if no other request is to be sent.
    func pause(
        after error: CallError, moved: Int64, received: Int64, _ retries: inout Int, _ call: Call
    ) async throws(CallError) {
        if call.isCancelled { throw error }
        // A status that ends the download is a response to the policy, not an error.
        let response = error.kind == .status ? error.response : nil
        let outcome = RetryPolicy.Outcome(
            request: error.request ?? request, response: response, error: response == nil ? error : nil,
            retries: retries)
        let step = try await client.step(
            after: outcome, RetryPolicy.Attempt(call, response: response), .resumable(bytes: moved),
            "after \(received) bytes", showing: outcome.request, call)
        switch step {
        case .retry(let number): retries = number
        case .stop(let obstacle): throw error.with(retryObstacle: obstacle)
        }
    }
}

extension Request {
    /// Asks for the content without codings, unless the request names codings itself. A coded response would hide the file's
    /// length. If the server sends coded content nevertheless, the content is decoded.
    package mutating func askForContentAsStored() {
        guard !headers.contains(.acceptEncoding) else { return }
        headers[.acceptEncoding] = "identity"
        undoesCodings = true
    }
}
