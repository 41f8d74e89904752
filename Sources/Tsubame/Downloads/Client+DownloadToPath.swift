// Client+DownloadToPath: downloads whose target is a path as text.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import TsubameCore
public import TsubameWire

extension Client {
    /// Downloads the resource at a path below the client's base URL into the file or the folder at a path.
    @concurrent
    public func download(
        _ path: RequestPath, query: Parameters = [:], headers: RequestHeaders = [:], to target: String,
        resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(
            Request(.get, path, query: query, headers: headers), to: target, resume: resume, policy: policy,
            progress: progress)
    }

    /// Downloads the body of the response to a request into the file or the folder at a path.
    @concurrent
    public func download(
        _ request: Request, to target: String, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws(CallError) -> DownloadedFile {
        try await download(request, to: URL(filePath: target), resume: resume, policy: policy, progress: progress)
    }

    /// Starts a download into the file or the folder at a path. Its callbacks run on the main actor.
    @discardableResult
    public func start(
        downloading request: Request, to target: String, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@MainActor @Sendable (DownloadProgress) -> Void)? = nil,
        then: @escaping @MainActor @Sendable (Result<DownloadedFile, CallError>) -> Void
    ) -> Call {
        start(
            downloading: request, to: URL(filePath: target), resume: resume, policy: policy, progress: progress,
            then: then)
    }
}

extension BlockingClient {
    /// Downloads into the file or the folder at a path, and waits on the current thread.
    @available(*, noasync, message: "use `try await client.download(request, to: target)`")
    public func download(
        _ request: Request, to target: String, resume: Bool = false, policy: DownloadPolicy = .standard,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) throws(CallError) -> DownloadedFile {
        try download(request, to: URL(filePath: target), resume: resume, policy: policy, progress: progress)
    }
}
