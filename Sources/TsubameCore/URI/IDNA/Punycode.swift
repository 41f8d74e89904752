// Punycode: writes Unicode in the ASCII characters of host names, and reads it again (RFC 3492).

enum Punycode {
    private static let base: UInt32 = 36
    private static let firstBias: UInt32 = 72
    private static let firstScalar: UInt32 = 0x80
    private static let thresholds = (least: UInt32(1), most: UInt32(26))

    /// Encodes scalars (RFC 3492 section 6.3); nil if a number does not fit.
    static func encode(_ scalars: [UInt32]) -> [UInt8]? {
        var output = scalars.filter { $0 < firstScalar }.map { UInt8(truncatingIfNeeded: $0) }
        let basicCount = UInt32(clamping: output.count)
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias, done) = (firstScalar, UInt32(0), firstBias, basicCount)
        while done < scalars.count {
            guard let least = scalars.lazy.filter({ $0 >= next }).min() else { return nil }
            let (step, isTooMuch) = (least - next).multipliedReportingOverflow(by: done + 1)
            guard !isTooMuch, let advanced = delta.adding(step) else { return nil }
            (delta, next) = (advanced, least)
            for scalar in scalars {
                if scalar < next {
                    guard let more = delta.adding(1) else { return nil }
                    delta = more
                }
                guard scalar == next else { continue }
                var (rest, position) = (delta, base)
                while true {
                    let threshold = threshold(at: position, bias)
                    guard rest >= threshold else { break }
                    output.append(digit(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    position += base
                }
                output.append(digit(rest))
                bias = adapted(delta, count: done + 1, isFirst: done == basicCount)
                delta = 0
                done += 1
            }
            guard let more = delta.adding(1) else { return nil }
            delta = more
            next += 1
        }
        return output
    }

    /// Decodes a label without its `xn--` (RFC 3492 section 6.2). The result is nil for text that no encoder writes.
    /// Examples are a wrong digit, a number that does not fit or ends early, and a value that is not a Unicode scalar.
    static func decode(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt32]? {
        var output: [UInt32] = []
        var rest = bytes[...]
        if let delimiter = bytes.lastIndex(of: UInt8(ascii: "-")), delimiter > bytes.startIndex {
            output = bytes[..<delimiter].map { UInt32($0) }
            rest = bytes[bytes.index(after: delimiter)...]
        }
        var (scalar, index, bias) = (firstScalar, UInt32(0), firstBias)
        while !rest.isEmpty {
            let start = index
            var (weight, position) = (UInt32(1), base)
            while true {
                guard let byte = rest.popFirst(), let digit = value(of: byte) else { return nil }
                let (step, isTooMuch) = digit.multipliedReportingOverflow(by: weight)
                guard !isTooMuch, let advanced = index.adding(step) else { return nil }
                index = advanced
                let threshold = threshold(at: position, bias)
                if digit < threshold { break }
                let (heavier, isTooHeavy) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !isTooHeavy else { return nil }
                weight = heavier
                position += base
            }
            let count = UInt32(clamping: output.count) + 1
            bias = adapted(index - start, count: count, isFirst: start == 0)
            guard let advanced = scalar.adding(index / count), Unicode.Scalar(advanced) != nil else { return nil }
            scalar = advanced
            index %= count
            output.insert(scalar, at: Int(index))
            index += 1
        }
        return output
    }

    private static func threshold(at position: UInt32, _ bias: UInt32) -> UInt32 {
        position <= bias ? thresholds.least : Swift.min(position - bias, thresholds.most)
    }

    /// Adapts the bias (RFC 3492 section 6.1).
    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps: UInt32 = 0
        while delta > (base - thresholds.least) * thresholds.most / 2 {
            delta /= base - thresholds.least
            steps += base
        }
        return steps + (base - thresholds.least + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x30 + value - 26)
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30 + 26
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61
        default: nil
        }
    }
}

extension UInt32 {
    fileprivate func adding(_ other: UInt32) -> UInt32? {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? nil : sum
    }
}
