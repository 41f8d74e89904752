// Recording: the recorded exchanges of a Recorder, and the choice of one for a request.

internal import TsubameCore

/// The entries of an archive, with the number of times that each has been replayed, as a value.
struct Recording: Sendable {
    private(set) var archive: HTTPArchive
    private let matching: Recorder.Matching
    private let showsSecrets: Bool
    private var uses: [Int]
    private var redaction = ArchiveRedaction()
    /// The rules by which all entries have been redacted. Other programs write archives with their secrets.
    private var rules: Set<Redaction> = []

    init(_ archive: HTTPArchive, matching: Recorder.Matching, showsSecrets: Bool) {
        self.archive = archive
        self.matching = matching
        self.showsSecrets = showsSecrets
        uses = Array(repeating: 0, count: archive.entries.count)
    }

    private mutating func apply(_ rules: Redaction) {
        guard !showsSecrets, self.rules.insert(rules).inserted else { return }
        for index in archive.entries.indices { redaction.redact(&archive.entries[index], by: rules) }
        for index in archive.entries.indices { redaction.scrub(&archive.entries[index]) }
    }

    /// A request in the form in which the recording has its requests.
    private func recorded(_ request: HTTPArchive.Request, _ rules: Redaction) -> RecordedRequest {
        var request = request
        if !showsSecrets {
            var redaction = ArchiveRedaction()
            redaction.redact(&request, by: rules)
        }
        return RecordedRequest(request)
    }

    /// Adds an exchange, without its secrets.
    mutating func add(_ entry: HTTPArchive.Entry, _ rules: Redaction) {
        apply(rules)
        var entry = entry
        let known = redaction.count
        if !showsSecrets { redaction.redact(&entry, by: rules) }
        archive.entries.append(entry)
        uses.append(1)
        // A value that has just become known may stand in earlier entries.
        let first = redaction.count > known ? 0 : archive.entries.count - 1
        for index in first..<archive.entries.count { redaction.scrub(&archive.entries[index]) }
    }

    /// The entry that answers a request. In strict matching, each entry answers once, in order. In lenient matching, an
    /// entry that has not been used comes first, and of these the one with an equal body.
    mutating func answer(to request: HTTPArchive.Request, _ rules: Redaction) -> (index: Int, entry: HTTPArchive.Entry)?
    {
        apply(rules)
        let wanted = recorded(request, rules)
        var best: (index: Int, rank: (Int, Int))?
        for (index, entry) in archive.entries.enumerated() {
            if matching == .strict, uses[index] > 0 { continue }
            let candidate = RecordedRequest(entry.request)
            guard candidate.differences(from: wanted, matching, withBody: matching == .strict).isEmpty else { continue }
            if matching == .strict {
                best = (index, (0, 0))
                break
            }
            let rank = (candidate.bodyDifference(from: wanted) == nil ? 0 : 1, uses[index])
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        guard let best else { return nil }
        uses[best.index] += 1
        return (best.index, archive.entries[best.index])
    }

    /// The entry that differs least from a request, and how it differs.
    func nearest(to request: HTTPArchive.Request, _ rules: Redaction) -> (name: String, differences: [String])? {
        let wanted = recorded(request, rules)
        let candidates = archive.entries.enumerated().map { index, entry -> (Int, RecordedRequest, [String], Int) in
            let candidate = RecordedRequest(entry.request)
            var differences = candidate.differences(from: wanted, matching, withBody: true)
            if differences.isEmpty { differences = ["it has been replayed already"] }
            return (index, candidate, differences, candidate.common(with: wanted))
        }
        let best = candidates.min { ($0.2.count, -$0.3) < ($1.2.count, -$1.3) }
        return best.map { ("entry \($0.0), \($0.1.name)", $0.2) }
    }

    /// The entries that no request has used.
    var unused: [String] {
        archive.entries.indices.filter { uses[$0] == 0 }.map {
            "entry \($0), \(RecordedRequest(archive.entries[$0].request).name), was not replayed"
        }
    }
}
