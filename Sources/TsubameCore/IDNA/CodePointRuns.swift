// CodePointRuns: a small number for each code point, kept as runs of those that have the same.

/// Filled once, when the first name that is not plain ASCII is read: literals of thousands of numbers would cost more,
/// in compiling and at every start.
struct CodePointRuns: Sendable {
    private var starts: [UInt32] = []
    /// One past the last code point of each run.
    private var ends: [UInt32] = []
    private var values: [UInt8] = []

    /// - Parameter base: what the table multiplied the lengths with to make room for the values.
    init(_ text: StaticString, base: Int) {
        var text = TableText(text)
        var end: UInt32 = 0
        while let gap = text.next(), let run = text.next() {
            starts.append(end + UInt32(gap))
            end += UInt32(gap + run / base)
            ends.append(end)
            values.append(UInt8(run % base))
        }
    }

    /// 0 outside all runs.
    subscript(scalar: UInt32) -> UInt8 {
        let index = starts.countNotAbove(scalar) - 1
        return index >= 0 && scalar < ends[index] ? values[index] : 0
    }
}

extension [UInt32] {
    /// Of numbers in ascending order, how many are not above this one.
    func countNotAbove(_ limit: UInt32) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
