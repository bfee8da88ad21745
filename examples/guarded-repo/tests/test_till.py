import unittest

from till import change, total


class Till(unittest.TestCase):
    def test_adds_up(self):
        self.assertEqual(total([199, 1]), 200)
        self.assertEqual(total([]), 0)

    def test_gives_change(self):
        self.assertEqual(change(500, [199, 1]), 300)

    def test_refuses_what_can_not_be(self):
        self.assertRaises(ValueError, total, [-1])
        self.assertRaises(ValueError, change, 100, [101])


if __name__ == "__main__":
    unittest.main()
