! Values of Fortran's types, for expressions. It runs until it is killed.
module base
  implicit none
  integer :: deep = 31, renamed = 32, away = 33
end module

module shapes
  use base, local_name => renamed
  implicit none
  type point
    integer :: x
    real(8) :: y
  end type
  type box
    type(point) :: corner
    integer :: sizes(3)
    logical :: filled
    character(len=5) :: label
    integer, allocatable :: marks(:)
    type(box), pointer :: next
  end type
  integer :: counter = 3
  integer :: grid(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  integer :: cube(0:1, -1:1, 2) = 7
  real :: ratios(4) = [0.5, 1.5, 2.5, 1.0e10]
  character(len=8) :: title = 'abc''d'
  logical(1) :: small = .true.
  integer(1) :: byte = -7
  integer(8) :: wide = 5000000000_8
  complex :: z = (1.5, -2.0)
  type(box), target :: chain
  integer, parameter :: limit = 12
  integer :: many(300) = 5, ten(10) = 1, long(250)
  integer :: wall(3, 100) = 7, rows(2, 120)
  integer :: fence(3, 20) = 7, mixed(40), posts(2, 30), eleven(11) = 1, cubes(2, 2, 12) = 4
  character(len=30) :: run = 'ab'
  character(len=220) :: text = 'abcdefgh'
  logical :: facts(3) = [.true., .false., .true.]
  type(point) :: spots(12)
  character(len=3) :: words(2) = ['one', 'two']
  integer, target :: goal = 9
  integer, pointer :: aim => goal
  real(10) :: extended = 1.5_10
  complex(8) :: pair(2) = (0.5d0, 1.0d0)
  common /shared/ first, second
  integer :: first, second(2)
contains
  subroutine leaf(n, a, d, s, b, t, q)
    integer, intent(in) :: n
    integer, intent(in) :: a(n)
    real(8), value :: d
    character(len=*), intent(in) :: s
    type(box), intent(inout) :: b
    integer, intent(inout) :: t(:, :)
    integer, pointer :: q(:)
    integer :: Local(-2:2)
    logical :: yes, no
    integer, allocatable :: m(:, :)
    type(point) :: points(2)
    integer :: i
    local = [(i * n, i = 1, 5)]
    yes = n > 3
    no = .not. yes
    allocate(m(2, 0:2))
    m = n
    m(2, 1) = 42
    points(1) = point(n, d)
    points(2) = point(-n, -d)
    do i = 1, 300
      b%sizes(2) = b%sizes(2) + local(1) + m(1, 0) + a(1)
      counter = counter + mod(i, 3) + points(1)%x + t(1, 2) + q(1)
      if (yes .and. .not. no) wide = wide + len(s)
    end do
    b%corner%x = b%corner%x + 1
    deallocate(m)
  end subroutine
end module

program demo
  use shapes
  implicit none
  integer :: values(6) = [10, 20, 30, 40, 50, 60]
  integer, target :: other(2, 4)
  integer, pointer :: every(:)
  integer :: i
  do i = 1, 8
    other(1 + mod(i, 2), (i + 1) / 2) = i
  end do
  every => other(1, 1:4:2)
  chain%corner = point(1, 2.5d0)
  chain%sizes = [4, 5, 6]
  chain%filled = .true.
  chain%label = 'label'
  allocate(chain%marks(2:4))
  chain%marks = [7, 8, 9]
  chain%next => chain
  long = [(i * 3, i = 1, 250)]
  rows = reshape([(i, i = 1, 240)], [2, 120])
  first = 21
  mixed = [1, (2, i = 1, 12), 3, (4, i = 1, 26)]
  posts = reshape([1, 2, (5, 6, i = 1, 13), 7, 8, (9, i = 1, 30)], [2, 30])
  second = 22
  call inside(3)
  do
    call leaf(5, values, 0.25d0, 'text', chain, other(:, 2:4), every)
  end do
contains
  subroutine inside(k)
    integer, intent(in) :: k
    integer :: away
    away = k + 1
    values(1) = values(1) + away - 4 + i - i + deep - 31
  end subroutine
end program
