// IDNAMapping: what UTS 46 makes of each code point before a name is looked at (section 5, IDNA Mapping Table).

/// The mapping table, for non-transitional processing and without STD3's rules. Characters that Normalization Form C
/// replaces anyway count as valid here: they cannot be in what has that form.
struct IDNAMapping: Sendable {
    static let table = IDNAMapping()

    private enum Kind: Int {
        case disallowed, ignored
        /// Mapped to what is a distance away.
        case shifted
        /// Every other one mapped to the next, which is valid.
        case alternating
        /// Mapped to what is listed.
        case listed
    }

    private struct Run {
        let end: UInt32
        let kind: Kind
        /// The distance, or the index of the first one's place in `places`.
        let detail: Int
    }

    private var starts: [UInt32] = []
    private var runs: [Run] = []
    /// Where in `scalars` each listed mapping begins; one more at the end.
    private var places: [Int] = []
    private var scalars: [UInt32] = []

    private init() {
        var text = TableText(IDNATableData.statuses)
        var end = 0
        while let gap = text.next(), let number = text.next(), let kind = Kind(rawValue: number % 5) {
            let (start, count) = (end + gap, number / 5)
            end = start + count
            var detail = 0
            if kind == .shifted {
                detail = text.nextSigned() ?? 0
            } else if kind == .listed {
                detail = places.count
                var previous = start
                for _ in 0..<count {
                    places.append(scalars.count)
                    for _ in 0..<(text.next() ?? 0) {
                        previous += text.nextSigned() ?? 0
                        scalars.append(UInt32(previous))
                    }
                }
            }
            starts.append(UInt32(start))
            runs.append(Run(end: UInt32(end), kind: kind, detail: detail))
        }
        places.append(scalars.count)
    }

    /// Appends what the code point becomes: itself if it is valid, and if it is disallowed, so that it is found later.
    func map(_ scalar: UInt32, into output: inout [UInt32]) {
        guard let (start, run) = run(of: scalar) else { return output.append(scalar) }
        let index = Int(scalar - start)
        switch run.kind {
        case .disallowed: output.append(scalar)
        case .ignored: break
        case .shifted: output.append(UInt32(Int(scalar) + run.detail))
        case .alternating: output.append(index % 2 == 0 ? scalar + 1 : scalar)
        case .listed: output += scalars[places[run.detail + index]..<places[run.detail + index + 1]]
        }
    }

    /// Whether the code point may be part of a label.
    func isValid(_ scalar: UInt32) -> Bool {
        guard let (start, run) = run(of: scalar) else { return true }
        return run.kind == .alternating && (scalar - start) % 2 == 1
    }

    private func run(of scalar: UInt32) -> (start: UInt32, run: Run)? {
        let index = starts.countNotAbove(scalar) - 1
        guard index >= 0, scalar < runs[index].end else { return nil }
        return (starts[index], runs[index])
    }
}
