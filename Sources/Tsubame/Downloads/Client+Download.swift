// Client+Download: the calls that write a response's body to a file and can resume it.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
public import TsubameCore
public import TsubameWire

extension Client {
    /// Downloads the resource at a path below the client's base URL into a file.
    ///
    /// ```swift
    /// let file = try await api.download("big.iso", to: folder, resume: true) { print($0) }
    /// print(file.url)
    /// ```
    /// See ``download(_:to:resume:policy:progress:)-(_,URL,_,_,_)`` for the details.
    @concurrent
    public func download(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], to target: URL,
        resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, path, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Downloads the resource at a path given as text, which is already percent-encoded and may have several segments.
    @concurrent
    public func download(
        path: String, query: Parameters = [:], headers: RequestHeaders = [:], to target: URL, resume: Bool = false,
        policy: DownloadPolicy = .standard, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, path: path, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Not available: a text may be one segment or several.
    @available(
        *, unavailable, message: "write path: text for a path, or \"\\(text)\" to escape it as one segment"
    )
    public func download(
        _ path: String, query: Parameters = [:], headers: RequestHeaders = [:], to target: URL, resume: Bool = false,
        policy: DownloadPolicy = .standard, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, path: path, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Downloads the resource at a whole URL into a file.
    @concurrent
    public func download(
        url: String, query: Parameters = [:], headers: RequestHeaders = [:], to target: URL, resume: Bool = false,
        policy: DownloadPolicy = .standard, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, url: url, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Downloads the resource at a whole URL into a file.
    @concurrent
    public func download(
        url: URL, query: Parameters = [:], headers: RequestHeaders = [:], to target: URL, resume: Bool = false,
        policy: DownloadPolicy = .standard, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, url: url, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Downloads the body of the response to a request into a file.
    ///
    /// The bytes go to a hidden file beside the target. When the hidden file is complete, it gets the target's
    /// name; until then an existing file of that name stays unchanged. Only one download at a time, over all
    /// processes, writes to the hidden file. The request asks for `Accept-Encoding: identity` unless it sets
    /// another value.
    ///
    /// With `resume`, the received bytes stay when the call fails or the process dies. A later call for the same
    /// target, in any process, asks for the rest by `Range` and `If-Range`. It appends new bytes only if the
    /// validator, the length and the position agree; otherwise it begins anew. The validator is the strong entity
    /// tag or, if the response has no tag, the date.
    ///
    /// If there is an entity tag, the later call's URL may have another query, such as a new signature. For a named
    /// file, the URL's folder may differ too, if the length is known and the path ends with the same segment. Bytes
    /// from another origin, after redirects, are appended only if the policy has the file's digest. Bytes over http
    /// are never appended to bytes over https.
    ///
    /// With `resume`, a call whose connection breaks opens further connections, as often as ``Configuration/retry``
    /// allows. A connection that has brought a mebibyte or more does not count.
    ///
    /// Some downloads cannot be resumed and begin anew: a method other than GET, a weak entity tag or no validator,
    /// a coded body, or `Accept-Ranges: none`.
    /// - Parameters:
    ///   - request: usually a GET. If it sets Range itself, the requested part is saved.
    ///   - target: an existing folder, or a file. In a folder the file gets the name of
    ///     ``Response/suggestedFileName``.
    ///   - resume: whether to continue with the bytes of an earlier call, and to keep the received bytes for a
    ///     later one.
    ///   - policy: how the download treats existing files, what it checks, and how many connections it uses.
    ///   - progress: receives the progress, on any thread; it must not block.
    /// - Throws: ``CallError`` of kind `status` (nothing is saved), `file`, `decoding` if a digest does not match, or
    ///   `misuse` if the target is no file URL. The errors of sending and reading are thrown too.
    @concurrent
    public func download(
        _ request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        let run = try DownloadRun(self, request, to: target, resume: resume, policy, progress)
        let start = try run.start()
        return try await run.perform(start, run.makeCall(start))
    }

    /// Starts a download whose callbacks run on the main actor.
    ///
    /// ```swift
    /// let call = api.start(downloading: request, to: folder, resume: true) { progress in … } then: { result in … }
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the program must serve the main queue (an
    /// async `main`, `dispatchMain()`, or a run loop).
    @discardableResult
    public func start(
        downloading request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@MainActor @Sendable (DownloadProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<DownloadedFile, CallError>) -> Void
    ) -> Call {
        var onMain: (@Sendable (DownloadProgress) -> Void)?
        if let progress { onMain = { value in MainActor.assumeIsolated { progress(value) } } }
        return start(
            downloading: request, to: target, resume: resume, policy: policy, on: CallbackQueue.main, progress: onMain,
            then: { (result: Result<DownloadedFile, CallError>) in MainActor.assumeIsolated { then(result) } })
    }

    /// Starts a download whose callbacks run on the given queue or executor.
    @discardableResult
    public func start(
        downloading request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        on queue: CallbackQueue, progress: (@Sendable (DownloadProgress) -> Void)? = nil,
        then: @escaping @Sendable (Result<DownloadedFile, CallError>) -> Void
    ) -> Call {
        var relay: (@Sendable (DownloadProgress) -> Void)?
        if let progress { relay = { value in queue.run { progress(value) } } }
        let run: DownloadRun
        let begun: DownloadRun.Start
        do throws(CallError) {
            run = try DownloadRun(self, request, to: target, resume: resume, policy, relay)
            begun = try run.start()
        } catch {
            // The file is never reached: the call fails before anything is sent.
            var failed = request
            failed.target = .invalid(error)
            return start(failed, on: queue) { (result: Result<Response, CallError>) in
                then(result.flatMap { _ in .failure(error) })
            }
        }
        let call = run.makeCall(begun)
        Task { @concurrent in
            let result: Result<DownloadedFile, CallError>
            do throws(CallError) {
                result = .success(try await run.perform(begun, call))
            } catch {
                result = .failure(error)
            }
            queue.run { then(result) }
        }
        return call
    }
}

extension BlockingClient {
    /// Downloads into a file and waits on the current thread. See
    /// ``Client/download(_:to:resume:policy:progress:)-(_,URL,_,_,_)``. Unlike other blocking calls, a download
    /// has no total timeout unless one is set.
    @available(*, noasync, message: "use `try await client.download(request, to: target)`")
    public func download(
        _ request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) throws(CallError) -> DownloadedFile {
        try perform(try DownloadRun(client, request, to: target, resume: resume, policy, progress))
    }

    /// Downloads with the hooks of the command-line tool. The path may be relative, or empty for the current
    /// folder.
    @available(*, noasync)
    package func download(
        _ request: Request, toPath path: String, resume: Bool, policy: DownloadPolicy, hooks: DownloadHooks,
        progress: (@Sendable (DownloadProgress) -> Void)?
    ) throws(CallError) -> DownloadedFile {
        try perform(try DownloadRun(client, request, path: path, resume: resume, policy, hooks, progress))
    }

    @available(*, noasync)
    private func perform(_ run: DownloadRun) throws(CallError) -> DownloadedFile {
        let start = try run.start()
        return try wait(start.request) { executor async throws(CallError) in
            try await run.perform(start, run.makeCall(start, executor: executor))
        }
    }
}

extension DownloadRun {
    fileprivate init(
        _ client: Client, _ request: Request, to target: URL, resume: Bool, _ policy: DownloadPolicy,
        _ progress: (@Sendable (DownloadProgress) -> Void)?
    ) throws(CallError) {
        guard target.isFileURL else {
            throw CallError(.misuse, "\(target) is not a file URL", advice: "make one from a path by URL(filePath:)")
        }
        try self.init(
            client, request, path: target.path, isFolder: target.hasDirectoryPath, resume: resume, policy,
            DownloadHooks(), progress)
    }
}
