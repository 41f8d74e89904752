// CodePointRuns: a small number for each code point, stored as runs of code points with the same number.

/// The runs are filled when the first name that is not plain ASCII is read. Literals of thousands of numbers would cost
/// more, in compiling and at every start.
struct CodePointRuns: Sendable {
    private var starts: [UInt32] = []
    /// One past the last code point of each run.
    private var ends: [UInt32] = []
    private var values: [UInt8] = []

    /// - Parameter base: the factor that the table multiplied the lengths by, to make room for the values.
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

    /// The number of the code point; 0 outside all runs.
    subscript(scalar: UInt32) -> UInt8 {
        let index = starts.countNotAbove(scalar) - 1
        return index >= 0 && scalar < ends[index] ? values[index] : 0
    }
}

extension [UInt32] {
    /// The number of elements that are not above `limit`. The elements must be in ascending order.
    func countNotAbove(_ limit: UInt32) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
