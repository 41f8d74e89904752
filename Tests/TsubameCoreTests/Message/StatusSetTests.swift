// StatusSetTests: sets of status codes by ranges and numbers.

import Testing
import TsubameCore

@Suite struct StatusSetTests {
    @Test(arguments: [
        (StatusSet.successful, [200, 299], [199, 300]), ([200, 404], [200, 404], [201, 403]), (404, [404], [405]),
        (StatusSet(200...204, 404...404), [200, 204, 404], [205, 403]), (.successful.union(404), [250, 404], [403]),
        (.successful.union(400...409), [400, 409], [410]), (StatusSet([200]).union([304]), [200, 304], [201]),
        (.all, [0, 999], [1_000]),
    ])
    func `a set has what its parts have`(_ set: StatusSet, _ inside: [Int], _ outside: [Int]) {
        for code in inside { #expect(set.contains(code)) }
        for code in outside { #expect(!set.contains(code)) }
        #expect(set.contains(.ok) == set.contains(200))
    }
}
