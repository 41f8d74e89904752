// TrafficLog+Archive: the calls of a log as an HTTP archive.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

extension TrafficLog {
    /// The calls of the log as an archive in HAR 1.2, which browsers and proxies open. Secrets are withheld: credentials, cookies,
    /// and values with a secret name, wherever they stand.
    ///
    /// Each request that a call sent is an entry. Bodies are left out once they take more than the limit of the log. Without ``keepBodies()`` the archive has no bodies of responses.
    /// - Parameter showingSecrets: whether to withhold nothing.
    /// - Throws: the encoder's error, and `CancellationError` if the task is cancelled.
    public func har(showingSecrets: Bool = false) async throws -> Data {
        try await archive(of: read { Array($0.all) }, showingSecrets: showingSecrets)
    }

    /// Adds the calls of an archive in HAR 1.2, as browsers, proxies and ``har(showingSecrets:)`` write them. A byte order mark
    /// before the JSON is ignored.
    /// - Returns: the number of calls.
    /// - Throws: `CallError` with the kind `file`, and the place of the first fault, if the data is no archive.
    @discardableResult
    public func add(har: Data) throws(CallError) -> Int {
        let archive: HTTPArchive
        do throws(HTTPArchiveError) {
            archive = try HTTPArchive(json: har)
        } catch {
            throw CallError(.file, "\(error)")
        }
        add(archive.entries.map { ImportedEntry($0, bodyLimit: limits.body) })
        return archive.entries.count
    }

    func archive(of calls: [LoggedCall], showingSecrets: Bool) async throws -> Data {
        var archive = HTTPArchive(creator: HTTPArchive.Creator(name: "Tsubame", version: "0.1.0"))
        var redaction = ArchiveRedaction()
        // Bodies are decoded for the archive, and a few bytes may decode to very many.
        var rest = limits.total
        for call in calls {
            for var entry in await call.entries(hasBodies: rest > 0) {
                rest -= (entry.response.content.text?.utf8.count ?? 0) + (entry.request.postData?.text.utf8.count ?? 0)
                if !showingSecrets { redaction.redact(&entry, by: call.request.redaction) }
                archive.entries.append(entry)
            }
        }
        if !showingSecrets {
            for index in archive.entries.indices { redaction.scrub(&archive.entries[index]) }
        }
        return Data(try archive.json())
    }
}
