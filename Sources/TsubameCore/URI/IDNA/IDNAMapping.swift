// IDNAMapping: the mapping that UTS 46 applies to each code point of a name (section 5, IDNA Mapping Table).

/// The mapping table, for non-transitional processing and without STD3's rules. Characters that Normalization Form C
/// replaces count as valid here, because text in that form cannot hold them.
struct IDNAMapping: Sendable {
    static let table = IDNAMapping()

    private enum Kind: Int {
        case disallowed, ignored
        /// Mapped to the code point at a fixed distance.
        case shifted
        /// Every second code point is mapped to the next one, which is valid.
        case alternating
        /// Mapped to a list of scalars.
        case listed
    }

    private struct Run {
        let end: UInt32
        let kind: Kind
        /// The distance, or the index in `places` of the first code point's mapping.
        let detail: Int
    }

    private var starts: [UInt32] = []
    private var runs: [Run] = []
    /// The index in `scalars` at which each listed mapping begins, and the end of the last one.
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

    /// Appends the mapping of the code point. A valid code point is appended as it is. So is a disallowed one, which is
    /// found later.
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
