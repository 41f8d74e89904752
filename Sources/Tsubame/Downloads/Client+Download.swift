// Downloads: a response's body in a file, resumed where that is wanted.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
public import TsubameCore

extension Client {
    /// Downloads what a path below the client's base URL names into a file.
    ///
    /// ```swift
    /// let file = try await api.download("big.iso", to: folder, resume: true) { print($0) }
    /// print(file.url)
    /// ```
    /// See ``download(_:to:resume:policy:progress:)-(Request,_,_,_,_)`` for all of it.
    @concurrent
    public func download(
        _ path: Path, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(Request(.get, path), to: target, resume: resume, policy: policy, progress: progress)
    }

    /// Downloads what a whole URL names into a file.
    @concurrent
    public func download(
        url: String, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(Request(.get, url: url), to: target, resume: resume, policy: policy, progress: progress)
    }

    /// Downloads the body of the response to a request into a file.
    ///
    /// The bytes go to a hidden file beside the target, which gets its name when it is whole. Until then nothing of that name
    /// changes, and one download at a time writes to it, over all processes. `Accept-Encoding: identity` is asked for unless
    /// the request says something else.
    ///
    /// With `resume`, what came stays when the call fails or the process dies, and a later call for the same target goes on
    /// behind it, in whatever process: it asks for the rest by `Range` and `If-Range`, and puts the two together only if the
    /// strong entity tag (or, where there is none, the date), the length and the position agree; otherwise it begins anew. The
    /// URL's query may be another one, as where URLs are signed; for a named file the folder may be, too, if there is an
    /// entity tag, the length is known and the path ends with the same segment. Bytes of another origin, after redirects, follow
    /// only if the policy has the file's digest, and never by http after https. A connection that breaks is followed by
    /// others within the call, as often as ``Configuration/retry`` has it; one that has brought a mebibyte or more does not
    /// count. What cannot be resumed (other methods than GET, a weak tag or none, a coded body, `Accept-Ranges: none`)
    /// begins anew.
    /// - Parameters:
    ///   - request: most often a GET. With a Range of the caller's own, the part is what is saved.
    ///   - target: a folder that exists, in which the file gets the name of ``Response/suggestedFileName``, or a file.
    ///   - resume: whether to go on with what is there, and to keep what comes.
    ///   - policy: what is done with existing files, what is checked, and how many connections there are.
    ///   - progress: told how far it has come, wherever that happens; it must not block.
    /// - Throws: ``CallError`` of kind `status` (nothing is saved), `file`, `decoding` if a digest does not match, or what
    ///   sending and reading throw.
    @concurrent
    public func download(
        _ request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        let run = try DownloadRun(self, request, to: target, resume: resume, policy, progress)
        let start = try run.start()
        return try await run.perform(start, makeCall(start.request, wantsStream: true))
    }

    /// Starts a download; the callbacks run on the main actor.
    ///
    /// ```swift
    /// let call = api.start(downloading: request, to: folder, resume: true) { progress in … } then: { result in … }
    /// ```
    /// `then` is called exactly once, after the last `progress`. On Linux the main queue must be served (an async
    /// `main`, `dispatchMain()`, or a run loop).
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

    /// Starts a download; the callbacks run on the given queue or executor.
    @discardableResult
    public func start(
        downloading request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        on queue: CallbackQueue, progress: (@Sendable (DownloadProgress) -> Void)? = nil,
        then: @escaping @Sendable (Result<DownloadedFile, CallError>) -> Void
    ) -> Call {
        var relay: (@Sendable (DownloadProgress) -> Void)?
        if let progress { relay = { value in queue.run { progress(value) } } }
        let prepared: (run: DownloadRun, start: DownloadRun.Start)?
        let call: Call
        do throws(CallError) {
            let run = try DownloadRun(self, request, to: target, resume: resume, policy, relay)
            let start = try run.start()
            prepared = (run, start)
            call = makeCall(start.request, wantsStream: true)
        } catch {
            prepared = nil
            var failed = request
            failed.target = .invalid(error)
            call = makeCall(failed, wantsStream: true)
        }
        Task { @concurrent in
            let result: Result<DownloadedFile, CallError>
            do throws(CallError) {
                guard let prepared else {
                    _ = try await self.perform(call) { response throws(CallError) in response }
                    throw CallError(.file, "nothing can be saved")
                }
                result = .success(try await prepared.run.perform(prepared.start, call))
            } catch {
                result = .failure(error)
            }
            queue.run { then(result) }
        }
        return call
    }
}

extension BlockingClient {
    /// Downloads into a file, and waits; see ``Client/download(_:to:resume:policy:progress:)-(Request,_,_,_,_)``. Unlike other
    /// blocking calls, it has no total time unless one is set.
    @available(*, noasync, message: "use `try await client.download(request, to: target)`")
    public func download(
        _ request: Request, to target: URL, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) throws(CallError) -> DownloadedFile {
        try perform(try DownloadRun(client, request, to: target, resume: resume, policy, progress))
    }

    /// The same with what the tool wants to know, and by a path that may be relative, or empty for the current folder.
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
        return try Self.wait(start.request) { executor async throws(CallError) in
            try await run.perform(start, run.client.makeCall(start.request, wantsStream: true, executor: executor))
        }
    }
}

extension DownloadRun {
    fileprivate init(
        _ client: Client, _ request: Request, to target: URL, resume: Bool, _ policy: DownloadPolicy,
        _ progress: (@Sendable (DownloadProgress) -> Void)?
    ) throws(CallError) {
        guard target.isFileURL else {
            throw CallError(.misuse, "\(target) is no file", advice: "URL(filePath:) makes one of a path")
        }
        try self.init(
            client, request, path: target.path, isFolder: target.hasDirectoryPath, resume: resume, policy,
            DownloadHooks(), progress)
    }
}
