// Client+Upload: the calls that upload a body and can resume it after an interruption.

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
    /// See ``upload(_:resume:progress:)`` for the details.
    @concurrent
    public func upload(
        _ file: URL, to path: RequestPath, method: HTTPRequest.Method = .post, headers: RequestHeaders = [:],
        resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        try await upload(
            Request(method, path, headers: headers, body: .file(file)), resume: resume, progress: progress)
    }

    /// Uploads the file at a path to a path below the client's base URL.
    @concurrent
    public func upload(
        _ file: String, to path: RequestPath, method: HTTPRequest.Method = .post, headers: RequestHeaders = [:],
        resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        try await upload(
            Request(method, path, headers: headers, body: .file(file)), resume: resume, progress: progress)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable,
        message: "write RequestPath(encoded: text) for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func upload(
        _ file: URL, to path: String, method: HTTPRequest.Method = .post, headers: RequestHeaders = [:],
        resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        try await upload(
            file, to: RequestPath(encoded: path), method: method, headers: headers, resume: resume, progress: progress)
    }

    /// Sends a request, reports the progress of its body, and with `resume` continues after an interruption.
    ///
    /// With `resume`, the request says that the upload may be interrupted (`Upload-Complete`, of
    /// draft-ietf-httpbis-resumable-upload, interop version 8). A server that keeps the bytes it received names an
    /// upload resource for them by an interim response 104. After that, the client resumes if the connection is
    /// lost, or if the response has a temporary status. These are 408, 423, 425, 429, 500, 502, 503, 504, and those
    /// of ``RetryPolicy/statuses``. The client asks the upload resource how many bytes have come (HEAD), and sends
    /// the rest (PATCH).
    ///
    /// ``Configuration/retry`` decides how often the client resumes, and after which delays. After a stretch that
    /// has brought a mebibyte or more, the count begins anew. All requests belong to one call with one total
    /// timeout. ``Limits/exchanges`` counts the requests that bring nothing.
    ///
    /// The response is that of the last request. If the server has all bytes and only its response was lost, the
    /// call returns the response that says so, which has no content.
    ///
    /// A server that names no upload resource gets one plain request, which fails and is retried like any other. A
    /// body that cannot be read from any position also goes in one plain request. Such a body is a stream, a form
    /// with files, or a body that is compressed while it is sent.
    ///
    /// The upload resource must be at the origin of the request, or at one of ``Configuration/allowedOrigins``. The
    /// client does not use a resource at another origin, or one that another origin names after a redirect.
    ///
    /// The client deletes the upload resource (DELETE) if the upload is cancelled, breaks a limit, or has a file that has
    /// changed or cannot be read. The same holds if the server's answers contradict each other, or do not say how many
    /// bytes it has. The client does not wait for the response. After any other failure, and while the last response is
    /// read, it deletes nothing. Then the server decides how long it keeps the bytes.
    /// - Parameters:
    ///   - request: usually a POST or PUT with `RequestBody.file`.
    ///   - resume: whether to continue after an interruption.
    ///   - progress: receives the progress, on any thread; it must not block.
    /// - Returns: the response, of any status.
    /// - Throws: ``CallError``. The kind is `requestBody` if the file changes during the upload (its length or time
    ///   of change). It is `invalidResponse` if the server has more bytes than were sent or fewer than before, does
    ///   not say, or takes no more. It is `limitExceeded` if the server takes no body of this length
    ///   (`Upload-Limit`), or beyond ``Limits/exchanges``. The errors of sending are thrown too.
    @concurrent
    public func upload(
        _ request: Request, resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(CallError) -> Response {
        let run = try UploadRun(self, request, resume: resume, progress)
        return try await run.perform(run.makeCall())
    }

    /// Starts an upload whose callbacks run on the main actor.
    ///
    /// ```swift
    /// let call = api.start(uploading: request, resume: true) { progress in … } then: { result in … }
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the program must serve the main queue (an
    /// async `main`, `dispatchMain()`, or a run loop).
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

    /// Starts an upload whose callbacks run on the given queue or executor.
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
    /// Uploads and waits on the current thread. See ``Client/upload(_:resume:progress:)``. Unlike other blocking
    /// calls, an upload has no total timeout unless one is set.
    @available(*, noasync, message: "use `try await client.upload(request)`")
    public func upload(
        _ request: Request, resume: Bool = false, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) throws(CallError) -> Response {
        try perform(UploadRun(client, request, resume: resume, progress), request)
    }

    /// Uploads a file so that a later process can continue it, for the command-line tool.
    @available(*, noasync)
    package func upload(
        _ request: Request, records: UploadRecords?, progress: (@Sendable (UploadProgress) -> Void)?
    ) throws(CallError) -> Response {
        try perform(UploadRun(client, request, resume: true, records: records, progress), request)
    }

    @available(*, noasync)
    private func perform(_ run: UploadRun, _ request: Request) throws(CallError) -> Response {
        try wait(request) { executor async throws(CallError) in
            try await run.perform(run.makeCall(executor: executor))
        }
    }
}
