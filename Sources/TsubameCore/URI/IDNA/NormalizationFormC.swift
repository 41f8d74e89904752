// NormalizationFormC: text after canonical decomposition and canonical composition (Unicode Standard Annex 15).

/// Swift's standard library compares texts by this form but does not return it, and FoundationEssentials lacks it.
struct NormalizationFormC: Sendable {
    static let table = NormalizationFormC()

    /// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
    private enum Hangul {
        static let syllables: UInt32 = 0xAC00
        static let leads: UInt32 = 0x1100
        static let vowels: UInt32 = 0x1161
        /// One before the first trailing consonant, because index 0 means that there is none.
        static let trails: UInt32 = 0x11A7
        static let leadCount: UInt32 = 19
        static let vowelCount: UInt32 = 21
        static let trailCount: UInt32 = 28
        static let syllableCount = leadCount * vowelCount * trailCount
    }

    private let combiningClasses = CodePointRuns(IDNATableData.combiningClasses, base: 256)
    /// `second` is 0 if the decomposition is a single code point.
    private var decompositions: [UInt32: (first: UInt32, second: UInt32)] = [:]
    private var compositions: [UInt64: UInt32] = [:]

    private init() {
        var text = TableText(IDNATableData.decompositions)
        var (scalar, first) = (-1, 0)
        while let number = text.next(), let distance = text.nextSigned() {
            scalar += 1 + number / 3
            first += distance
            let second = number % 3 == 0 ? 0 : 0x300 + (text.nextSigned() ?? 0)
            decompositions[UInt32(scalar)] = (UInt32(first), UInt32(second))
            if number % 3 == 1 { compositions[Self.pair(UInt32(first), UInt32(second))] = UInt32(scalar) }
        }
    }

    func combiningClass(_ scalar: UInt32) -> UInt8 { combiningClasses[scalar] }

    func normalized(_ scalars: [UInt32]) -> [UInt32] {
        // No character below U+0300 combines with another one.
        if scalars.allSatisfy({ $0 < 0x300 }) { return scalars }
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        for scalar in scalars { decompose(scalar, into: &result) }
        order(&result)
        compose(&result)
        return result
    }

    private func decompose(_ scalar: UInt32, into output: inout [UInt32]) {
        if scalar >= Hangul.syllables, scalar - Hangul.syllables < Hangul.syllableCount {
            let index = scalar - Hangul.syllables
            let trail = index % Hangul.trailCount
            output.append(Hangul.leads + index / (Hangul.vowelCount * Hangul.trailCount))
            output.append(Hangul.vowels + index / Hangul.trailCount % Hangul.vowelCount)
            if trail > 0 { output.append(Hangul.trails + trail) }
        } else if let (first, second) = decompositions[scalar] {
            decompose(first, into: &output)
            if second > 0 { decompose(second, into: &output) }
        } else {
            output.append(scalar)
        }
    }

    /// Sorts each run of combining characters by class, and keeps the order within one class.
    private func order(_ scalars: inout [UInt32]) {
        var start = 0
        while start < scalars.count {
            guard combiningClass(scalars[start]) > 0 else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { combiningClass($0) == 0 } ?? scalars.count
            let row = scalars[start..<end].map { ($0, combiningClass($0)) }
            // `sort` is stable, but its documentation does not promise that.
            let sorted = row.enumerated().sorted {
                ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
            }
            scalars.replaceSubrange(start..<end, with: sorted.map(\.element.0))
            start = end
        }
    }

    /// Joins each starter with the characters after it that are not blocked from it.
    private func compose(_ scalars: inout [UInt32]) {
        var starter: Int?
        var output: [UInt32] = []
        output.reserveCapacity(scalars.count)
        for scalar in scalars {
            let own = combiningClass(scalar)
            if let starter {
                // The last character of the output was not combined, so it blocks characters of its own class or a
                // lower one.
                let isNext = starter == output.count - 1
                let isBlocked = !isNext && (output.last.map(combiningClass) ?? 0) >= own
                if !isBlocked, let whole = composition(output[starter], scalar) {
                    output[starter] = whole
                    continue
                }
            }
            if own == 0 { starter = output.count }
            output.append(scalar)
        }
        scalars = output
    }

    private func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if first >= Hangul.leads, first - Hangul.leads < Hangul.leadCount {
            guard second >= Hangul.vowels, second - Hangul.vowels < Hangul.vowelCount else { return nil }
            let index = (first - Hangul.leads) * Hangul.vowelCount + (second - Hangul.vowels)
            return Hangul.syllables + index * Hangul.trailCount
        }
        if first >= Hangul.syllables, first - Hangul.syllables < Hangul.syllableCount,
            (first - Hangul.syllables) % Hangul.trailCount == 0
        {
            guard second > Hangul.trails, second - Hangul.trails < Hangul.trailCount else { return nil }
            return first + (second - Hangul.trails)
        }
        return compositions[Self.pair(first, second)]
    }

    private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 { UInt64(first) << 32 | UInt64(second) }
}

extension String {
    /// The text in Normalization Form C. Plain ASCII is returned as it is.
    package var normalizedFormC: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        let scalars = NormalizationFormC.table.normalized(unicodeScalars.map(\.value))
        return String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    }
}
