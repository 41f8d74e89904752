// Uploads: a body that goes on where it broke off.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TsubameCore

extension Client {
    /// Uploads a file to a path below the client's base URL.
    ///
    /// ```swift
    /// let response = try await api.upload(file, to: "videos", resume: true) { print($0) }
    /// ```
    /// See ``upload(_:resume:progress:)`` for all of it.
    @concurrent
    public func upload(
        _ file: URL, to path: Path, method: HTTPRequest.Method = .post, headers: HTTPFields = [:],
        resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        try await upload(
            Request(method, path, headers: headers, body: .file(file)), resume: resume, progress: progress)
    }

    /// Sends a request whose body is worth being told of, and with `resume` worth going on with.
    ///
    /// With `resume`, the server is told that the upload may break off (`Upload-Complete`, of
    /// draft-ietf-httpbis-resumable-upload, interop version 8). One that keeps what it has got names a place for that by an
    /// interim response 104. When the connection is lost after that, or the answer is a status that may pass (408, 423, 425,
    /// 429, 500, 502, 503, 504, and those of ``RetryPolicy/statuses``), the client asks there how much has come (HEAD), and
    /// sends the rest (PATCH), as often and after such waits as ``Configuration/retry`` has it; a stretch that has brought a
    /// mebibyte or more starts the count anew. All of that is one call, under one total deadline; ``Limits/exchanges`` counts
    /// the requests that bring nothing. The response is the answer to the last request. If the server has everything and only
    /// its answer was lost, it is the one that says so, and has no content.
    ///
    /// A server that names no such place gets one plain request, which fails and is repeated as any other. So does one for a body
    /// that cannot be read from any position: a stream, a form with files, or what is compressed on its way.
    ///
    /// Such a place lies at the origin of the request, or at one of ``Configuration/allowedOrigins``; one that lies elsewhere, or
    /// that a redirect to another origin names, is not made use of. An upload that was cancelled or cannot go on is given up by
    /// a DELETE, for which nobody waits.
    /// - Parameters:
    ///   - request: most often a POST or PUT with ``Body/file(_:contentType:)``.
    ///   - resume: whether to go on behind what has come.
    ///   - progress: told how far it has come, wherever that happens; it must not block.
    /// - Returns: the response, of any status.
    /// - Throws: ``CallError`` of kind `requestBody` if the file changes meanwhile (its length or time of change),
    ///   `invalidResponse` if the server has more bytes than were sent or fewer than it had, does not say, or takes no more of
    ///   them, `limitExceeded` if it takes no body of that length (`Upload-Limit`) or beyond ``Limits/exchanges``,
    ///   or what sending throws.
    @concurrent
    public func upload(
        _ request: Request, resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        let run = try UploadRun(self, request, resume: resume, progress)
        return try await run.perform(run.makeCall())
    }

    /// Starts an upload; the callbacks run on the main actor.
    ///
    /// ```swift
    /// let call = api.start(uploading: request, resume: true) { progress in … } then: { result in … }
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the main queue must be served (an async
    /// `main`, `dispatchMain()`, or a run loop).
    @discardableResult
    public func start(
        uploading request: Request, resume: Bool = false,
        progress: (@MainActor @Sendable (UploadProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<Response, CallError>) -> Void
    ) -> Call {
        var onMain: (@Sendable (UploadProgress) -> Void)?
        if let progress { onMain = { value in MainActor.assumeIsolated { progress(value) } } }
        return start(
            uploading: request, resume: resume, on: CallbackQueue.main, progress: onMain,
            then: { (result: Result<Response, CallError>) in MainActor.assumeIsolated { then(result) } })
    }

    /// Starts an upload; the callbacks run on the given queue or executor.
    @discardableResult
    public func start(
        uploading request: Request, resume: Bool = false, on queue: CallbackQueue,
        progress: (@Sendable (UploadProgress) -> Void)? = nil,
        then: @escaping @Sendable (Result<Response, CallError>) -> Void
    ) -> Call {
        var relay: (@Sendable (UploadProgress) -> Void)?
        if let progress { relay = { value in queue.run { progress(value) } } }
        let run: UploadRun
        do throws(CallError) {
            run = try UploadRun(self, request, resume: resume, relay)
        } catch {
            var failed = request
            failed.target = .invalid(error)
            return start(failed, on: queue, then: then)
        }
        let call = run.makeCall()
        Task { @concurrent in
            let result: Result<Response, CallError>
            do throws(CallError) {
                result = .success(try await run.perform(call))
            } catch {
                result = .failure(error)
            }
            queue.run { then(result) }
        }
        return call
    }
}

extension BlockingClient {
    /// Uploads, and waits; see ``Client/upload(_:resume:progress:)``. Unlike other blocking calls, it has no total time unless
    /// one is set.
    @available(*, noasync, message: "use `try await client.upload(request)`")
    public func upload(
        _ request: Request, resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) throws(CallError) -> Response {
        let run = try UploadRun(client, request, resume: resume, progress)
        return try Self.wait(request) { executor async throws(CallError) in
            try await run.perform(run.makeCall(executor: executor))
        }
    }
}
